"""Models with random weights and running statistics, so that no layer is left at a value that hides a mistake."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from random_models import CLASSES, card
from supcon.serving import Model, write_onnx


def made_model(**changes: Any) -> Model:
    described = card(**({"encoder": {"name": "small-resnet", "width": 8}} | changes))
    torch.manual_seed(0)
    encoder = described.make_encoder()
    for name, tensor in encoder.network.state_dict().items():
        if name.endswith(("running_var", "bn2.weight", "bn3.weight")):
            tensor.uniform_(0.5, 1.5)
        elif name.endswith("running_mean"):
            tensor.normal_(0, 0.2)
    return Model(encoder, nn.Linear(encoder.width, len(CLASSES)), described)


GREY = {"channels": 1, "mean": (0.5,), "std": (0.25,), "multi_label": True}


@pytest.fixture(scope="session")
def resizing(tmp_path_factory: pytest.TempPathFactory) -> tuple[Model, Path]:
    """An ONNX file that takes images of any size, with its model."""
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    model, path = made_model(), tmp_path_factory.mktemp("onnx") / "model.onnx"
    assert write_onnx(model, path, preprocessing="resize") <= 1e-5
    return model, path


@pytest.fixture(scope="session")
def grey(tmp_path_factory: pytest.TempPathFactory) -> tuple[Model, Path]:
    """An ONNX file for grey images with several labels, with its model."""
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    model, path = made_model(**GREY), tmp_path_factory.mktemp("onnx") / "model.onnx"
    write_onnx(model, path)
    return model, path


@pytest.fixture(scope="session")
def make_model() -> Callable[..., Model]:
    return made_model

"""Models with random weights and running statistics, so that no layer is left at a value that hides a mistake."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from supcon.serving import Model, ModelCard

CLASSES = ("a b", "É", "漢字", '<i>"x"')


def made_model(**changes: Any) -> Model:
    values: dict[str, Any] = {
        "recipe": "folder",
        "method": "supcon",
        "data": "photos",
        "class_names": CLASSES,
        "channels": 3,
        "image_size": 14,
        "stored_size": 16,
        "mean": (0.4, 0.5, 0.6),
        "std": (0.2, 0.25, 0.3),
        "counts": {"train": 10, "validation": 2, "test": 3},
        "encoder": {"name": "small-resnet", "width": 8},
    }
    card = ModelCard(**(values | changes))
    torch.manual_seed(0)
    encoder = card.make_encoder()
    for name, tensor in encoder.network.state_dict().items():
        if name.endswith(("running_var", "bn2.weight", "bn3.weight")):
            tensor.uniform_(0.5, 1.5)
        elif name.endswith("running_mean"):
            tensor.normal_(0, 0.2)
    return Model(encoder, nn.Linear(encoder.width, len(CLASSES)), card)


@pytest.fixture(scope="session")
def make_model() -> Callable[..., Model]:
    return made_model

"""ONNX files with weights of 8 bits."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from supcon.serving import Model, load_onnx, quantize, write_onnx


def pixels(count: int, height: int, width: int, channels: int = 3) -> np.ndarray:
    return np.random.default_rng(count).integers(0, 256, (count, channels, height, width), dtype=np.uint8)


GREY = {"channels": 1, "mean": (0.5,), "std": (0.25,), "multi_label": True}


@pytest.fixture(scope="module")
def grey(make_model: Callable[..., Model], tmp_path_factory: pytest.TempPathFactory) -> tuple[Model, Path]:
    """A file for grey images with several labels, with its model."""
    model, path = make_model(**GREY), tmp_path_factory.mktemp("onnx") / "model.onnx"
    write_onnx(model, path)
    return model, path


def test_quantized_weights_predict_nearly_the_same(grey: tuple[Model, Path], tmp_path: Path) -> None:
    model, path = grey
    quantize(path, tmp_path / "small.onnx")
    assert (tmp_path / "small.onnx").stat().st_size < 0.7 * path.stat().st_size  # a tiny network is mostly its graph
    images = pixels(8, 14, 14, channels=1)
    before, after = (load_onnx(file, weights=model.digest)(images) for file in (path, tmp_path / "small.onnx"))
    assert 0 < np.abs(before["probabilities"] - after["probabilities"]).max() < 0.02
    assert load_onnx(tmp_path / "small.onnx").classes == list(model.card.class_names)

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

import supcon
from supcon.base.errors import RequestError
from supcon.encoder import make_encoder
from supcon.serving import Model, write_safetensors


def test_the_file_alone_is_loaded(make_model: Callable[..., Model], tmp_path: Path) -> None:
    model, path = make_model(), tmp_path / "any name.safetensors"
    write_safetensors(model, path)
    loaded = supcon.load(path)
    images = np.random.default_rng(0).integers(0, 256, (3, 3, 20, 30), dtype=np.uint8)
    np.testing.assert_array_equal(loaded.predict_proba(images), model.predict_proba(images))
    assert loaded.classes == model.classes


def test_an_encoder_alone_predicts_no_classes(make_model: Callable[..., Model], tmp_path: Path) -> None:
    write_safetensors(make_model(), tmp_path / "encoder.safetensors", "encoder")
    with pytest.raises(RequestError, match="has an encoder but no classifier"):
        supcon.load(tmp_path / "encoder.safetensors")


def test_an_exported_encoder_is_taken_as_pretrained_weights(make_model: Callable[..., Model], tmp_path: Path) -> None:
    model, path = make_model(), tmp_path / "encoder.safetensors"
    write_safetensors(model, path, "encoder")
    card = model.card
    again = make_encoder(
        "small-resnet",
        width=8,
        pretrained=str(path),
        channels=3,
        image_size=14,
        mean=card.mean,
        std=card.std,
    ).eval()
    images = torch.randint(0, 256, (2, 3, 14, 14), dtype=torch.uint8)
    torch.testing.assert_close(again(images), model.encoder(images))

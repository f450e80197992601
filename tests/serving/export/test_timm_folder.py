import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import timm
import torch
from timm.data.config import resolve_model_data_config

from supcon.base.errors import RequestError
from supcon.serving import Model, write_timm

IMAGES = torch.randint(0, 256, (3, 3, 64, 64), dtype=torch.uint8)
SIZES = {"image_size": 64, "stored_size": 73}


def network_inputs(model: Model) -> torch.Tensor:
    mean, std = (torch.tensor(values).view(-1, 1, 1) for values in (model.card.mean, model.card.std))
    return (IMAGES / 255 - mean) / std


@pytest.mark.parametrize(
    ("encoder", "part"),
    [
        ({"name": "resnet18", "stem": "imagenet", "normalize_representation": False}, "classifier"),
        ({"name": "resnet18", "stem": "imagenet", "norm": "group"}, "encoder"),
        ({"name": "timm:tf_efficientnet_lite0", "normalize_representation": False}, "classifier"),
        ({"name": "timm:vit_tiny_patch16_224", "normalize_representation": False}, "classifier"),
    ],
)
@torch.inference_mode()
def test_timm_loads_the_folder_and_agrees(
    make_model: Callable[..., Model], tmp_path: Path, encoder: dict[str, Any], part: Any
) -> None:
    model = make_model(**SIZES, encoder=encoder)
    assert write_timm(model, tmp_path / "timm", part) <= 1e-5
    theirs = timm.create_model(f"local-dir:{tmp_path / 'timm'}", pretrained=True).eval()
    found, expected = theirs(network_inputs(model)), model.encoder(IMAGES)
    if part == "classifier":
        expected = model.classifier(expected)
    elif model.encoder.normalize_representation:
        found = torch.nn.functional.normalize(found, dim=1)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
    preprocessing = resolve_model_data_config(theirs)  # type: ignore[no-untyped-call]
    assert preprocessing["input_size"] == (3, 64, 64)
    assert preprocessing["mean"] == pytest.approx(model.card.mean)
    assert preprocessing["crop_pct"] == pytest.approx(64 / 73)


def test_the_class_names_are_in_the_config(make_model: Callable[..., Model], tmp_path: Path) -> None:
    model = make_model(**SIZES, encoder={"name": "resnet18", "normalize_representation": False})
    write_timm(model, tmp_path / "timm")
    assert json.loads((tmp_path / "timm" / "config.json").read_text())["label_names"] == list(model.card.class_names)


@pytest.mark.parametrize(
    ("encoder", "sentence"),
    [
        (
            {"name": "small-resnet", "width": 8},
            r"no network like the encoder of this run \(small-resnet\); export onnx",
        ),
        ({"name": "resnet18", "stem": "small"}, "resnet18 with the stem for small images"),
        ({"name": "resnet18", "width_multiplier": 2}, "resnet18 of another width"),
        ({"name": "resnet18", "centre_representation": True}, "representations of this run are centred"),
        ({"name": "resnet18"}, "trained on normalized representations"),
    ],
)
def test_what_timm_cannot_hold_is_refused(
    make_model: Callable[..., Model], tmp_path: Path, encoder: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(RequestError, match=sentence):
        write_timm(make_model(**SIZES, encoder=encoder), tmp_path / "timm")
    assert list(tmp_path.iterdir()) == []

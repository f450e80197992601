import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest
import torch
from safetensors import safe_open

from supcon.encoder import make_encoder
from supcon.serving import Model, write_safetensors


@pytest.mark.parametrize("part", ["encoder", "classifier"])
def test_the_file_has_the_weights_and_describes_itself(
    make_model: Callable[..., Model], tmp_path: Path, part: str
) -> None:
    model, path = make_model(), tmp_path / "model.safetensors"
    write_safetensors(model, path, part)  # type: ignore[arg-type]
    with safe_open(path, "pt") as file:
        card = json.loads(file.metadata()["supcon"])
        assert any(name.startswith("classifier.") for name in file.keys()) == (part == "classifier")  # noqa: SIM118
    assert card == json.loads(json.dumps(asdict(model.card)))


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

"""Exported weights in torchvision's and timm's own models."""

from typing import Any

import pytest
import timm
import torch
import torchvision
from torch import Tensor, nn

from references.encoders import close, encoder, images, trained
from supcon.base.errors import RequestError
from supcon.encoder.encoder import Encoder
from supcon.encoder.torchvision_names import to_torchvision_names


def expected(model: Any) -> Tensor:
    with torch.inference_mode():
        found: Tensor = model((images().float() / 255 - 0.5) / 0.25)
    return found


@torch.inference_mode()
def representations(source: Encoder) -> Tensor:
    found: Tensor = source(images())
    return found


@pytest.mark.parametrize("name", ["resnet18", "resnet50"])
def test_torchvisions_own_model_gives_the_same_output(name: str) -> None:
    source, classifier = encoder(name), nn.Linear(512 if name == "resnet18" else 2048, 7)
    trained(source.network)
    model = getattr(torchvision.models, name)(weights=None, num_classes=7)
    model.load_state_dict(to_torchvision_names(source, classifier))  # strict
    with torch.inference_mode():
        logits = classifier(source(images()))
    assert close(expected(model.eval()), logits)


def test_timms_own_model_gives_the_same_output() -> None:
    source = encoder("timm:convnext_atto", stem="auto")
    model = timm.create_model("convnext_atto", num_classes=0)
    model.load_state_dict(to_torchvision_names(source))
    assert close(expected(model.eval()), representations(source))


def test_a_classifier_of_unit_vectors_is_no_use_to_torchvision() -> None:
    with pytest.raises(RequestError, match="trained on normalized representations"):
        to_torchvision_names(encoder(normalize_representation=True), nn.Linear(512, 7))

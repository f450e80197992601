from typing import Any

import pytest
import timm
import torch
from torch import nn

from supcon.base.errors import RequestError, WorkError
from supcon.encoder.encoder import make_encoder
from supcon.encoder.timm_network import any_network

SMALL = ["mobilenetv3_small_050", "vit_tiny_patch16_224", "convnext_atto", "efficientnet_b0", "regnetx_002"]


@pytest.mark.parametrize("name", SMALL)
def test_any_model_becomes_an_encoder(name: str) -> None:
    encoder = make_encoder(f"timm:{name}", channels=1, image_size=64, mean=(0.5,), std=(0.5,)).eval()
    with torch.inference_mode():
        found = encoder(torch.randint(256, (2, 1, 64, 64), dtype=torch.uint8))
    assert found.shape == (2, encoder.width)
    assert torch.allclose(found.norm(dim=1), torch.ones(2))


def test_a_model_comes_ready_for_training_and_without_its_classifier() -> None:
    network = any_network("regnetx_002", 3, 32)
    assert network.training
    assert not any(isinstance(module, nn.Linear) for module in network.modules())


@pytest.mark.parametrize(
    ("name", "hint"),
    [("resnet5O", "did you mean timm:resnet50?"), ("0", "timm.list_models() lists them.")],
)
def test_an_unknown_name_gets_the_nearest_one(name: str, hint: str) -> None:
    with pytest.raises(RequestError) as caught:
        any_network(name, 3, 32)
    assert str(caught.value) == f"timm has no model called {name!r}; {hint}"


@pytest.mark.parametrize("name", ["vit_tiny_patch16_224", "inception_v3"])
def test_a_size_that_does_not_fit_is_refused(name: str) -> None:
    with pytest.raises(RequestError, match=rf"^timm('s {name} cannot take images of 8x8| cannot build {name})"):
        any_network(name, 3, 8)


def test_weights_that_cannot_be_had_are_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_connection(*_: Any, **__: Any) -> None:
        raise OSError("Name or service\n not known.")

    monkeypatch.setattr(timm.models._builder, "load_pretrained", no_connection)
    with pytest.raises(WorkError) as caught:
        any_network("resnet18", 3, 64, pretrained=True)
    assert str(caught.value) == (
        "The published weights of resnet18 could not be downloaded (Name or service not known); try again with an "
        "internet connection, or give a file of weights in --encoder.pretrained."
    )

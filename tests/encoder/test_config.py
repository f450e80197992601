from typing import Any

import pytest

from supcon.base.errors import RequestError
from supcon.encoder.config import NAMES, EncoderConfig


def test_the_paper_normalises() -> None:
    assert EncoderConfig().normalize_representation


@pytest.mark.parametrize("name", [*NAMES, "timm:vit_tiny_patch16_224"])
def test_known_names_are_taken(name: str) -> None:
    assert EncoderConfig(name=name).name == name


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"width": 0}, "encoder.width must be at least 1, got 0."),
        ({"width": -1}, "encoder.width must be at least 1, got -1."),
        ({"stride": 0}, "encoder.stride must be at least 1, got 0."),
        (
            {"name": "resnet19"},
            "encoder.name must be one of small-resnet, resnet18, resnet34, resnet50, resnet101, resnet200 or "
            "timm:NAME, got 'resnet19'. Did you mean resnet18?",
        ),
        (
            {"name": "timm:"},
            "encoder.name must be one of small-resnet, resnet18, resnet34, resnet50, resnet101, resnet200 or "
            "timm:NAME, got 'timm:'.",
        ),
        (
            {"name": "timm:resnet50", "stem": "small"},
            "encoder.stem is for resnet18, resnet34, resnet50, resnet101, resnet200, got small for timm:resnet50; "
            "leave it out.",
        ),
        (
            {"name": "timm:resnet50", "norm": "group"},
            "encoder.norm is not for timm:resnet50, got group; choose a model of timm that has this norm.",
        ),
        (
            {"pretrained": ""},
            "encoder.pretrained is empty; give true, false, a file of weights or the folder of a run.",
        ),
        (
            {"name": "resnet200", "pretrained": True},
            "encoder.pretrained: there are no published weights of resnet200; give a file of weights.",
        ),
        (
            {"norm": "group", "pretrained": True},
            "encoder.pretrained: there are no published weights of resnet18 with group norm; give a file of weights.",
        ),
    ],
)
def test_bad_values_are_refused_in_one_sentence(values: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError) as caught:
        EncoderConfig(**values)
    assert str(caught.value) == message


def test_a_width_multiplier_is_for_resnets_without_published_weights() -> None:
    assert EncoderConfig(name="resnet50", width_multiplier=2).width_multiplier == 2
    with pytest.raises(RequestError, match=r"width_multiplier is for resnet18.*, got 2 for small-resnet"):
        EncoderConfig(name="small-resnet", width_multiplier=2)
    with pytest.raises(RequestError, match="no published weights of resnet50 of 2 times the width"):
        EncoderConfig(name="resnet50", width_multiplier=2, pretrained=True)
    with pytest.raises(RequestError, match=r"encoder\.width_multiplier must be at least 1, got 0"):
        EncoderConfig(name="resnet50", width_multiplier=0)

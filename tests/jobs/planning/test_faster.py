"""Faster alternatives to a long run."""

from dataclasses import replace

import pytest
import torch

from supcon.data import ImageData, decode_listed, list_data
from supcon.encoder import Encoder, make_encoder
from supcon.jobs.planning import faster as faster_module
from supcon.jobs.planning.faster import faster
from supcon.jobs.planning.time_estimate import TimeEstimate
from supcon.recipes import Recipe, change_recipe, find_recipe


def small(image_size: int = 32) -> Encoder:
    return make_encoder("small-resnet", channels=3, image_size=image_size, mean=(0.5,) * 3, std=(0.2,) * 3, width=8)


@pytest.fixture(scope="module")
def digits() -> tuple[Recipe, ImageData]:
    recipe = change_recipe(find_recipe("digits"), {"encoder.width": 8, "device": "cpu"})
    return recipe, decode_listed(list_data(recipe.data))


def test_a_long_run_is_told_what_would_be_faster(
    digits: tuple[Recipe, ImageData], monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe, data = digits[0], replace(digits[1], image_size=224)
    smaller, cached = (TimeEstimate(stage1=a, stage2=b, evaluation=1) for a, b in ((1000, 10), (4000, 5)))
    estimates = iter([smaller, cached])
    monkeypatch.setattr(faster_module, "estimate_time", lambda *_: next(estimates))
    found = faster(recipe, data, small(), TimeEstimate(stage1=4000, stage2=900, evaluation=100))
    assert [(one.options, one.seconds) for one in found] == [
        ("--data.image_size 128", 1011),
        ("--epochs 15", 2000),
        ("--stage2.cached true", 4105),
    ]
    assert faster(recipe, data, small(), TimeEstimate(stage1=1700, stage2=50, evaluation=50)) == []


def test_a_smaller_pretrained_encoder_is_offered(
    digits: tuple[Recipe, ImageData], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def estimate(recipe: Recipe, *_: object) -> TimeEstimate:
        seen.append(recipe.encoder.name)
        return TimeEstimate(stage1=1000, stage2=10, evaluation=1)

    monkeypatch.setattr(faster_module, "estimate_time", estimate)
    data = replace(digits[1], image_size=64)
    found = faster(find_recipe("photos"), data, small(), TimeEstimate(stage1=4000, stage2=10, evaluation=1))
    assert seen == ["timm:tf_efficientnet_lite0"]
    assert ("--recipe photos --encoder.name timm:tf_efficientnet_lite0", 1011) in [
        (one.options, one.seconds) for one in found
    ]


@pytest.mark.parametrize(
    ("name", "side", "offered"),
    [
        ("folder", 32, {"--recipe folder-small": (32, False), "--recipe small-photos": (96, True)}),
        ("folder", 100, {"--recipe folder-small": (100, False), "--recipe photos": (224, True)}),
        ("folder-cross-entropy", 8, {"--recipe folder-small": (8, False)}),
        ("small-photos", 32, {"--recipe folder-small": (32, False)}),
        ("cifar10-resnet50", 32, {"--recipe cifar10-small": (32, False)}),
        ("photos", 100, {}),
    ],
)
def test_recipes_with_another_encoder_are_offered(
    name: str,
    side: int,
    offered: dict[str, tuple[int, bool]],
    digits: tuple[Recipe, ImageData],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = []

    def estimate(recipe: Recipe, _: object, encoder: Encoder, size: int | None = None) -> TimeEstimate:
        seen.append((recipe.name, size, recipe.encoder.name.startswith("timm:tf_efficientnet")))
        return TimeEstimate(stage1=1000, stage2=10, evaluation=1)

    monkeypatch.setattr(faster_module, "estimate_time", estimate)
    recipe, grey = find_recipe(name), digits[1]
    train = replace(grey.train, images=torch.zeros(len(grey.train), 3, 8, 8, dtype=torch.uint8))
    data = replace(grey, train=train, image_size=side, mean=(0.5,) * 3, std=(0.2,) * 3)
    time = TimeEstimate(stage1=4000, stage2=10, evaluation=1)
    found = faster(recipe, data, small(), time, side)
    suffix = "" if recipe.method == "supcon" else f"-{recipe.method}"
    recipes = {one.options for one in found if one.options.startswith("--recipe ") and " --" not in one.options[2:]}
    assert recipes == set(offered)
    for options, (size, pretrained) in offered.items():
        assert (options.removeprefix("--recipe ") + suffix, size, pretrained) in seen
    own = change_recipe(recipe, {"encoder.name": "resnet34", "encoder.pretrained": False, "stage1.pretrained_share": 0})
    assert not [one for one in faster(own, data, small(), time, side) if one.options.startswith("--recipe ")]

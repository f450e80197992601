from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from supcon.base.errors import RequestError
from supcon.encoder import EncoderConfig
from supcon.losses import LossConfig
from supcon.recipes import Method, Recipe, find_recipe
from supcon.stages.config import HardwareConfig, Stage1Config
from supcon.views.config import ViewsConfig
from supcon.views.mix_config import MixConfig


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(RequestError, match=r"seed must .*got -1"):
        Recipe(name="mine", seed=-1)


def test_simclr_with_one_view_is_refused() -> None:
    with pytest.raises(RequestError) as caught:
        Recipe(name="mine", method="simclr", views=ViewsConfig(count=1))
    assert str(caught.value) == (
        "simclr needs at least two views of every image, since an image's only positives are its other views; "
        "got views.count 1."
    )


def test_supervised_methods_may_have_one_view() -> None:
    for method in ("supcon", "cross-entropy"):
        assert Recipe(name="mine", method=method, views=ViewsConfig(count=1)).views.count == 1


@pytest.mark.parametrize("method", ["n-pairs", "triplet", "large-margin", "joint"])
def test_mixed_images_are_refused_where_they_have_no_meaning(method: Method) -> None:
    with pytest.raises(RequestError) as caught:
        Recipe(name="mine", method=method, mix=MixConfig(method="cutmix"))
    assert str(caught.value) == (
        f"{method} does not support mixed images, got mix.method cutmix; leave it out, or choose one of supcon, "
        "supcon-in, simclr, cross-entropy, cross-entropy-two-stage."
    )


@pytest.mark.parametrize("method", ["n-pairs", "triplet"])
@pytest.mark.parametrize(("option", "value"), [("queue_size", 64), ("denominator", "negatives"), ("max_positives", 3)])
def test_drawn_pairs_have_no_options_of_the_family(method: Method, option: str, value: Any) -> None:
    with pytest.raises(RequestError, match=rf"^{method} does not support loss\.{option}, got {value}; leave it out\.$"):
        Recipe(name="mine", method=method, loss=LossConfig(**{option: value}))
    Recipe(name="mine", method="supcon-in", loss=LossConfig(**{option: value}))


def test_a_queue_of_mixed_rows_is_refused() -> None:
    with pytest.raises(
        RequestError, match=r"^A queue does not support mixed images, got mix\.method mixup with loss\."
    ):
        Recipe(name="mine", loss=LossConfig(queue_size=64), mix=MixConfig(method="mixup"))


@pytest.mark.parametrize("method", ["supcon", "supcon-in"])
def test_a_cap_below_the_views_or_of_mixed_rows_is_refused(method: Method) -> None:
    with pytest.raises(RequestError, match=r"^loss\.max_positives must be at least 2, .* got 1 with views\.count 3\.$"):
        Recipe(name="mine", method=method, loss=LossConfig(max_positives=1), views=ViewsConfig(count=3))
    with pytest.raises(RequestError, match=r"^loss\.max_positives does not support mixed images, got 3 with mix\."):
        Recipe(name="mine", method=method, loss=LossConfig(max_positives=3), mix=MixConfig(method="mixup"))
    Recipe(name="mine", method=method, loss=LossConfig(max_positives=2), views=ViewsConfig(count=3))


def test_options_of_another_method_are_refused() -> None:
    with pytest.raises(RequestError, match=r"^stage1\.label_smoothing is for cross-entropy .* got 0\.1 with supcon;"):
        Recipe(name="mine", stage1=Stage1Config(label_smoothing=0.1))
    with pytest.raises(RequestError, match=r"^stage1\.cross_entropy_weight is for the method joint, .* with supcon"):
        Recipe(name="mine", stage1=Stage1Config(cross_entropy_weight=1.0))
    Recipe(name="mine", method="joint", stage1=Stage1Config(cross_entropy_weight=1.0))
    Recipe(name="mine", method="large-margin", stage1=Stage1Config(label_smoothing=0.1))


def test_a_recipe_does_not_change() -> None:
    recipe = find_recipe("digits")
    with pytest.raises(FrozenInstanceError):
        recipe.seed = 3  # type: ignore[misc]
    assert replace(recipe, seed=3).seed == 3


def test_a_batch_is_shared_evenly() -> None:
    stage1, two = Stage1Config(batch_size=33), HardwareConfig(devices=2)
    with pytest.raises(
        RequestError, match=r"stage1.batch_size must be a multiple of the 2 processes .* smaller one is 32."
    ):
        Recipe(name="x", stage1=stage1, hardware=two)


@pytest.mark.parametrize(("pretrained", "method"), [(False, "supcon"), (True, "joint"), (True, "cross-entropy")])
def test_a_pretrained_share_needs_pretrained_weights_and_a_stage_2(pretrained: bool, method: Method) -> None:
    encoder = EncoderConfig(name="resnet18", pretrained=pretrained)
    with pytest.raises(RequestError, match=rf"encoder\.pretrained {pretrained} and {method}; set it to 0\.$"):
        Recipe(name="x", method=method, encoder=encoder, stage1=Stage1Config(pretrained_share=0.5))

"""Changes that several experiments share."""

from dataclasses import replace
from typing import Any

import pytest

from supcon.experiments import SCALES
from supcon.experiments.shared_settings import AUGMENTATIONS, OPTIMIZERS, stage1_optimizers, stage2_optimizers, views_of
from supcon.recipes import change_recipe, find_recipe


@pytest.mark.parametrize("scale", ["smoke", "small", "paper"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_changes_give_valid_recipes_with_the_named_optimizer(optimizer: str, scale: Any) -> None:
    base = SCALES[scale].base()
    for changes in stage1_optimizers(SCALES[scale], optimizer, "supcon"):
        assert change_recipe(base, dict(changes)).stage1.optimizer.name == OPTIMIZERS[optimizer]
    for changes in stage2_optimizers(SCALES[scale], optimizer):
        assert change_recipe(base, dict(changes)).stage2.optimizer.name == OPTIMIZERS[optimizer]


def test_the_recipes_own_optimizer_is_not_searched() -> None:
    assert stage1_optimizers(SCALES["small"], "Momentum", "supcon") == ({},)
    assert stage1_optimizers(SCALES["paper"], "LARS", "supcon") == ({},)
    assert len(stage1_optimizers(SCALES["small"], "LARS", "supcon")) == 3


def test_at_the_papers_scale_rates_of_stage_2_are_chosen_too_and_its_epochs_are_those_of_table_8() -> None:
    for optimizer in OPTIMIZERS:
        changes = stage2_optimizers(SCALES["paper"], optimizer)
        assert len({change["stage2.optimizer.lr"] for change in changes}) == len(changes) == 3
        assert {change["stage2.epochs"] for change in changes} == {350}
    assert len(stage2_optimizers(SCALES["small"], "LARS")) == 1


@pytest.mark.parametrize("name", ["SimAugment", "Stacked RandAugment"])
@pytest.mark.parametrize("stage", [1, 2])
def test_at_the_papers_scale_colours_and_blur_are_the_authors(name: str, stage: int) -> None:
    scale = SCALES["paper"]
    recipe = change_recipe(scale.base(), dict(views_of(scale, name, stage)))
    views = recipe.views if stage == 1 else recipe.stage2.views
    authors = find_recipe("imagenet-resnet50", "simclr") if name == "SimAugment" else find_recipe("imagenet-resnet200")
    assert replace(views, count=1) == replace(authors.views, count=1)
    assert views.count == (2 if stage == 1 else 1)


@pytest.mark.parametrize("name", AUGMENTATIONS)
def test_views_of_either_stage(name: str) -> None:
    first = views_of(SCALES["small"], name, 1)
    second = views_of(SCALES["small"], name, 2)
    assert first["views.augmentation"] == second["stage2.views.augmentation"] == AUGMENTATIONS[name]
    assert second["stage2.cached"] is False
    assert (first.get("views.auto_augment_policy") == "cifar10") == (name == "AutoAugment")
    assert "views.auto_augment_policy" not in views_of(SCALES["paper"], name, 1)

"""Changes that several experiments share."""

from typing import Any

import pytest

from supcon.experiments import SCALES
from supcon.experiments.shared_settings import AUGMENTATIONS, OPTIMIZERS, stage1_optimizers, stage2_optimizer, views_of
from supcon.recipes import change_recipe


@pytest.mark.parametrize("scale", ["smoke", "small", "paper"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_changes_give_valid_recipes_with_the_named_optimizer(optimizer: str, scale: Any) -> None:
    base = SCALES[scale].base()
    for changes in stage1_optimizers(SCALES[scale], optimizer, "supcon"):
        assert change_recipe(base, dict(changes)).stage1.optimizer.name == OPTIMIZERS[optimizer]
    changed = change_recipe(base, dict(stage2_optimizer(SCALES[scale], optimizer)))
    assert changed.stage2.optimizer.name == OPTIMIZERS[optimizer]


def test_the_recipes_own_optimizer_is_not_searched() -> None:
    assert stage1_optimizers(SCALES["small"], "Momentum", "supcon") == ({},)
    assert stage1_optimizers(SCALES["paper"], "LARS", "supcon") == ({},)
    assert len(stage1_optimizers(SCALES["small"], "LARS", "supcon")) == 3


@pytest.mark.parametrize("name", AUGMENTATIONS)
def test_views_of_either_stage(name: str) -> None:
    first = views_of(SCALES["small"], name, 1)
    second = views_of(SCALES["small"], name, 2)
    assert first["views.augmentation"] == second["stage2.views.augmentation"] == AUGMENTATIONS[name]
    assert second["stage2.cached"] is False
    assert (first.get("views.auto_augment_policy") == "cifar10") == (name == "AutoAugment")
    assert "views.auto_augment_policy" not in views_of(SCALES["paper"], name, 1)

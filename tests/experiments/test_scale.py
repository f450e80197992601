"""The sizes at which the paper is repeated."""

from typing import Any

import pytest

from supcon.base.errors import RequestError
from supcon.experiments import SCALES, Request
from supcon.experiments.scale import with_changes
from supcon.recipes import change_recipe, find_recipe


def test_small_wants_a_folder() -> None:
    with pytest.raises(RequestError, match="--scale small needs --data"):
        Request(scale=SCALES["small"])


@pytest.mark.parametrize("name", ["smoke", "small", "paper"])
def test_quick_changes_are_those_of_change_recipe(name: Any) -> None:
    """`with_changes` skips the parsing of types; the recipe must be the same."""
    scale = SCALES[name]
    for method in ("supcon", "cross-entropy"):
        recipe = find_recipe(scale.recipe, method)
        assert with_changes(recipe, scale.changes) == change_recipe(recipe, dict(scale.changes))


def test_changes_reach_every_depth() -> None:
    recipe = with_changes(find_recipe("digits"), {"seed": 5, "loss.temperature": 0.3, "stage1.optimizer.lr": 0.7})
    assert (recipe.seed, recipe.loss.temperature, recipe.stage1.optimizer.lr) == (5, 0.3, 0.7)
    assert recipe.stage1.epochs == find_recipe("digits").stage1.epochs


def test_only_the_papers_scale_is_the_papers() -> None:
    assert [name for name, scale in SCALES.items() if scale.is_paper] == ["paper"]
    assert len(SCALES["paper"].transfer_to) == 12

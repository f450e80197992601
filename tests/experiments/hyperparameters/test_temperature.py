"""Fig. 4 (d): temperatures."""

from typing import Any

import pytest

from supcon.experiments import EXPERIMENTS, SCALES
from supcon.recipes import change_recipe


@pytest.mark.parametrize("name", ["small", "paper"])
def test_gradients_stay_as_large_as_at_the_recipes_temperature(name: Any) -> None:
    own = SCALES[name].base().loss
    for row in EXPERIMENTS["temperature"].settings(SCALES[name]):
        recipe = change_recipe(SCALES[name].base(), dict(row.changes))
        # The gradient of the unscaled loss is proportional to 1 / temperature.
        assert recipe.loss.factor / recipe.loss.temperature == pytest.approx(own.factor / own.temperature)


def test_only_the_printed_value_is_published() -> None:
    rows = EXPERIMENTS["temperature"].settings(SCALES["paper"])
    assert {row.at: row.published for row in rows if row.published} == {0.1: {"test/top1": 0.787}}

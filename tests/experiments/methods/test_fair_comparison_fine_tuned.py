"""The comparison from ImageNet's weights, with the same grid of candidates for both losses."""

import pytest

from supcon.experiments import EXPERIMENTS, SCALES, Request
from supcon.experiments.scale import ScaleName

EXPERIMENT = EXPERIMENTS["fair-comparison-fine-tuned"]


@pytest.mark.parametrize("scale", SCALES)
def test_rows_differ_in_nothing_but_method_and_number_of_views(scale: ScaleName) -> None:
    rows = EXPERIMENT.settings(SCALES[scale])
    assert [(row.method, row.changes["views.count"]) for row in rows] == [
        ("supcon", 2),
        ("cross-entropy", 2),
        ("cross-entropy", 1),
    ]
    first = rows[0]
    for row in rows:
        assert row.candidates == first.candidates
        assert {**row.changes, "views.count": 2} == first.changes


def test_the_cells_train_the_same_layers_of_the_same_encoder() -> None:
    request = Request(scale=SCALES["small"], data="/photos/cifar10")
    recipes = [request.cell(row, row.candidates[0], 0).recipe for row in request.settings(EXPERIMENT)]
    for recipe in recipes:
        assert recipe.encoder.pretrained is True
        assert (recipe.stage1.frozen_layers, recipe.stage1.pretrained_share) == (5, 0.0)
        assert (recipe.data.image_size, recipe.data.per_class) == (64, 100)
    assert {recipe.stage1.epochs for recipe in recipes} == {8}
    assert {recipe.stage1.batch_size for recipe in recipes} == {32}


def test_small_has_four_rates_and_two_kinds_of_views() -> None:
    candidates = EXPERIMENT.settings(SCALES["small"])[0].candidates
    assert len({tuple(candidate.values()) for candidate in candidates}) == len(candidates) == 4 * 2

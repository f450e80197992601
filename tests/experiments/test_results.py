"""Finished cells sorted into rows: chosen candidates, corruption errors, missing cells."""

import numpy as np
import pytest

from experiments.conftest import MakeCell, Measured
from supcon.experiments import EXPERIMENTS, SCALES, Request, gather, needed_cells, result_table


def test_candidates_are_tried_with_one_seed_and_the_best_goes_on(make_cell: MakeCell) -> None:
    """Three rates with seed 0, and the best by validation accuracy with seeds 1 and 2."""
    from dataclasses import replace

    experiment = EXPERIMENTS["optimizers"]
    setting = replace(
        experiment.settings(SCALES["smoke"])[0], candidates=tuple({"stage1.optimizer.lr": lr} for lr in (0.1, 0.2, 0.4))
    )
    experiment = replace(experiment, settings=lambda scale: [setting], comparisons=lambda scale: ())
    request = Request(scale=SCALES["smoke"], seeds=(0, 1, 2))
    first = needed_cells(experiment, request, {})
    assert [cell.recipe.stage1.optimizer.lr for cell in first] == [0.1, 0.2, 0.4]
    assert {cell.recipe.seed for cell in first} == {0}
    finished = {
        cell.key: make_cell(cell, np.arange(10) < 5, validation__top1=score)
        for cell, score in zip(first, (0.3, 0.9, 0.5), strict=True)
    }
    later = needed_cells(experiment, request, finished)[3:]
    assert [(cell.recipe.stage1.optimizer.lr, cell.recipe.seed) for cell in later] == [(0.2, 0), (0.2, 1), (0.2, 2)]
    finished |= {cell.key: make_cell(cell, np.arange(10) < 6) for cell in later[1:]}
    results = gather(experiment, request, finished)
    assert results.missing == 0
    assert len(results.rows[0].cells) == 3
    assert result_table(results).rows[0][0].endswith("(lr 0.2)")


def test_the_choice_does_not_depend_on_the_seeds_that_are_asked_for() -> None:
    experiment = EXPERIMENTS["fair-comparison"]
    first, second = (needed_cells(experiment, Request(scale=SCALES["smoke"], seeds=s), {}) for s in ((0,), (1, 2)))
    assert [cell.key for cell in first] == [cell.key for cell in second]


def test_a_row_without_a_choice_has_all_its_seeds_from_the_start() -> None:
    cells = needed_cells(EXPERIMENTS["n-pairs"], Request(scale=SCALES["smoke"], seeds=(0, 1, 2)), {})
    assert sorted(cell.recipe.seed for cell in cells) == [0, 0, 1, 1, 2, 2]


def test_cells_of_a_choice_count_as_work(measured: Measured) -> None:
    results = measured("fair-comparison", seeds=(0,), corruptions__x=0.5)
    assert len(results.cells) == sum(len(row.setting.candidates) for row in results.rows)


def test_the_corruption_error_is_in_units_of_cross_entropy(make_cell: MakeCell) -> None:
    experiment, request = EXPERIMENTS["robustness"], Request(scale=SCALES["smoke"], seeds=(0,))
    finished = {}
    for setting, accuracy in zip(request.settings(experiment), (0.7, 0.6), strict=True):
        cell = request.cell(setting, {}, 0)
        sets = {f"corruptions__{name}__{s}__top1": accuracy for name in ("fog", "snow") for s in range(1, 6)}
        finished[cell.key] = make_cell(cell, test__top1=0.8, **sets)
    supcon, cross_entropy = gather(experiment, request, finished).rows
    assert cross_entropy.mean("corruptions/mce") == 1
    assert abs(supcon.mean("corruptions/mce") - 0.75) < 1e-9
    assert abs(supcon.mean("corruptions/relative_mce") - 0.5) < 1e-9


def test_relative_errors_leave_out_a_corruption_that_costs_cross_entropy_nothing(make_cell: MakeCell) -> None:
    experiment, request = EXPERIMENTS["robustness"], Request(scale=SCALES["smoke"], seeds=(0,))
    finished = {}
    for setting, accuracy in zip(request.settings(experiment), (0.7, 0.6), strict=True):
        cell = request.cell(setting, {}, 0)
        sets = {f"corruptions__snow__{s}__top1": accuracy for s in range(1, 6)}
        blur = {f"corruptions__zoom_blur__{s}__top1": 0.81 for s in range(1, 6)}
        finished[cell.key] = make_cell(cell, test__top1=0.8, **sets, **blur)
    supcon, _ = gather(experiment, request, finished).rows
    assert abs(supcon.mean("corruptions/relative_mce") - 0.5) < 1e-9
    assert abs(supcon.mean("corruptions/mce") - (0.75 + 1) / 2) < 1e-9


def test_the_increase_of_the_calibration_error(make_cell: MakeCell) -> None:
    experiment, request = EXPERIMENTS["calibration"], Request(scale=SCALES["smoke"], seeds=(0,))
    cells = [request.cell(setting, {}, 0) for setting in request.settings(experiment)]
    measures = {"test__ece": 0.03, "corruptions__severity_5__mean_ece": 0.1}
    rows = gather(experiment, request, {cell.key: make_cell(cell, **measures) for cell in cells}).rows
    assert [row.mean("corruptions/ece_increase") for row in rows] == pytest.approx([0.07, 0.07])


def test_candidates_are_not_measured_under_corruptions_but_the_chosen_one_is(make_cell: MakeCell) -> None:
    experiment = EXPERIMENTS["fair-comparison"]
    request = Request(scale=SCALES["smoke"], seeds=(0,), only=("as many views",))
    trials = needed_cells(experiment, request, {})
    assert len(trials) == 2
    assert not any(cell.extras for cell in trials)
    finished = {cell.key: make_cell(cell, np.arange(10) < 5, validation__top1=0.5) for cell in trials}
    chosen = needed_cells(experiment, request, finished)[-1]
    assert chosen.extras == {"corruptions"}
    assert chosen.key == trials[0].key
    assert gather(experiment, request, finished).missing == 1

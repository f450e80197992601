"""The table and the texts made of it."""

import csv
import io

import numpy as np

from experiments.conftest import MakeCell
from supcon.experiments import (
    EXPERIMENTS,
    SCALES,
    FinishedCell,
    Request,
    Results,
    charts_of,
    experiment_markdown,
    gather,
    needed_cells,
    overview_markdown,
    result_table,
    table_csv,
)


def measured(make_cell: MakeCell, name: str, seeds: tuple[int, ...] = (0, 1), **measures: float) -> Results:
    experiment, request = EXPERIMENTS[name], Request(scale=SCALES["smoke"], seeds=seeds)
    finished: dict[str, FinishedCell] = {}
    while missing := [c for c in needed_cells(experiment, request, finished) if c.key not in finished]:
        for place, cell in enumerate(missing):
            right = np.arange(100) < 50 + place + cell.recipe.seed
            finished[cell.key] = make_cell(cell, right, **{"validation__top1": 0.5 + place / 100, **measures})
    return gather(experiment, request, finished)


def test_the_table_has_paper_ours_and_difference(make_cell: MakeCell) -> None:
    results = measured(make_cell, "loss-variants")
    table = result_table(results)
    assert table.headings == (
        "setting",
        "Test accuracy: paper",
        "Test accuracy: ours",
        "Test accuracy: difference",
        "seeds",
    )
    assert [text.replace("\xa0", " ") for text in table.rows[0]] == [
        "L_out (Eq. 2)",
        "78.70 %",
        "50.50 % ± 0.71",
        "−28.20",
        "2",
    ]
    rows = list(csv.DictReader(io.StringIO(table_csv(results))))
    assert rows[0]["paper"] == "0.787"
    assert float(rows[0]["mean"]) == 0.505
    assert abs(float(rows[0]["difference"]) - (0.505 - 0.787)) < 1e-9
    assert rows[0]["seeds"] == "2"


def test_a_measure_that_the_paper_does_not_print_has_one_column(make_cell: MakeCell) -> None:
    assert result_table(measured(make_cell, "batch-size")).headings == ("setting", "Test accuracy: ours", "seeds")


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


def test_the_text_says_what_a_reader_needs(make_cell: MakeCell) -> None:
    results = measured(make_cell, "loss-variants")
    text = experiment_markdown(results, "supcon reproduce loss-variants --scale smoke", ["loss-variants.svg"])
    for part in (
        "Table 1",
        "**",
        "| L_out (Eq. 2) |",
        "![loss-variants](loss-variants.svg)",
        "a processor",
        "seeds 0, 1",
    ):
        assert part in text
    assert "supcon reproduce loss-variants --scale smoke" in text
    overview = overview_markdown([results], ["queue"])
    assert "[loss-variants](loss-variants.md)" in overview
    assert "Not run at this scale: `queue`." in overview


def test_every_experiment_has_a_chart(make_cell: MakeCell) -> None:
    severities = {f"corruptions__severity_{s}__mean_top1": 0.5 for s in range(1, 6)}
    severities |= {f"corruptions__severity_{s}__mean_ece": 0.1 for s in range(1, 6)}
    sets = {f"corruptions__fog__{s}__top1": 0.5 for s in range(1, 6)}
    looks = {
        f"gradients__{prefix}{kind}_hard_to_easy": 2.0
        for prefix in ("", "epoch_1__", "epoch_2__")
        for kind in ("positives", "negatives")
    }
    extras = {"transfer__mean__fine_tune__accuracy": 0.9, "test__ece": 0.1, **severities, **sets, **looks}
    for name in EXPERIMENTS:
        charts = charts_of(measured(make_cell, name, (0,), **extras))
        assert charts, name
        for chart in charts:
            assert all(series.points for series in chart.series), name


def test_candidates_are_not_measured_under_corruptions_but_the_chosen_one_is(make_cell: MakeCell) -> None:
    experiment, request = EXPERIMENTS["fair-comparison"], Request(scale=SCALES["smoke"], seeds=(0,), only=("SupCon",))
    trials = needed_cells(experiment, request, {})
    assert len(trials) == 2
    assert not any(cell.extras for cell in trials)
    finished = {cell.key: make_cell(cell, np.arange(10) < 5, validation__top1=0.5) for cell in trials}
    chosen = needed_cells(experiment, request, finished)[-1]
    assert chosen.extras == {"corruptions"}
    assert chosen.key == trials[0].key
    assert gather(experiment, request, finished).missing == 1

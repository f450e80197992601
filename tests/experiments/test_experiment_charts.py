"""The plots of experiments, as values."""

import numpy as np

from experiments.conftest import MakeCell
from supcon.experiments import EXPERIMENTS, SCALES, FinishedCell, Request, Results, charts_of, gather, needed_cells


def measured(make_cell: MakeCell, name: str, seeds: tuple[int, ...] = (0, 1), **measures: float) -> Results:
    experiment, request = EXPERIMENTS[name], Request(scale=SCALES["smoke"], seeds=seeds)
    finished: dict[str, FinishedCell] = {}
    while missing := [c for c in needed_cells(experiment, request, finished) if c.key not in finished]:
        for place, cell in enumerate(missing):
            right = np.arange(100) < 50 + place + cell.recipe.seed
            finished[cell.key] = make_cell(cell, right, **{"validation__top1": 0.5 + place / 100, **measures})
    return gather(experiment, request, finished)


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

"""The Markdown of an experiment and of the overview."""

import numpy as np

from experiments.conftest import MakeCell
from supcon.experiments import (
    EXPERIMENTS,
    SCALES,
    FinishedCell,
    Request,
    Results,
    experiment_markdown,
    gather,
    needed_cells,
    overview_markdown,
)


def measured(make_cell: MakeCell, name: str, seeds: tuple[int, ...] = (0, 1), **measures: float) -> Results:
    experiment, request = EXPERIMENTS[name], Request(scale=SCALES["smoke"], seeds=seeds)
    finished: dict[str, FinishedCell] = {}
    while missing := [c for c in needed_cells(experiment, request, finished) if c.key not in finished]:
        for place, cell in enumerate(missing):
            right = np.arange(100) < 50 + place + cell.recipe.seed
            finished[cell.key] = make_cell(cell, right, **{"validation__top1": 0.5 + place / 100, **measures})
    return gather(experiment, request, finished)


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

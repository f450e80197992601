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
    gather,
    needed_cells,
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

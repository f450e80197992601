"""The estimated time of the cells that are left."""

import math
from dataclasses import replace

import pytest

from supcon.experiments import SCALES, Cell, FinishedCell
from supcon.experiments.scale import with_changes
from supcon.jobs.reproduction.study_time import seconds_of

from .study_worker import finished


def cell(**changes: object) -> Cell:
    return Cell(
        with_changes(SCALES["smoke"].base(), {name.replace("__", "."): value for name, value in changes.items()})
    )


def took(seconds: float, *cells: Cell) -> dict[str, FinishedCell]:
    return {one.key: replace(finished(one), seconds=seconds) for one in cells}


def test_time_is_in_proportion_to_the_views_of_a_network() -> None:
    short, other = cell(stage1__epochs=5), cell(stage1__epochs=5, encoder__width=64)
    known = {one.key: one for one in (short, other)}
    done = took(10.0, short) | took(100.0, other)
    assert seconds_of([cell(stage1__epochs=20)], known, done) == pytest.approx(40)
    assert seconds_of([cell(stage1__epochs=5, views__count=1)], known, done) == pytest.approx(5)
    assert seconds_of([cell(stage1__epochs=20, encoder__width=64)], known, done) == pytest.approx(400)
    tenth = {"data__per_class": 1, "stage1__epochs": 50}
    whole = cell(data__per_class=10, stage1__epochs=5)
    assert seconds_of([cell(**tenth)], {whole.key: whole}, took(7.0, whole)) == pytest.approx(7)


def test_a_network_without_a_finished_cell_takes_the_mean_of_all() -> None:
    short = cell(stage1__epochs=5)
    done = took(10.0, short) | took(30.0, cell(seed=7))
    assert seconds_of([cell(encoder__width=64)] * 2, {short.key: short}, done) == pytest.approx(40)


def test_without_finished_cells_nothing_is_estimated() -> None:
    short = cell(stage1__epochs=5)
    assert math.isnan(seconds_of([short], {short.key: short}, {}))
    failed = {short.key: replace(finished(short), failure="loss is NaN")}
    assert math.isnan(seconds_of([short], {short.key: short}, failed))

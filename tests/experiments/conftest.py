"""Finished cells that nobody trained."""

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from supcon.experiments import (
    EXPERIMENTS,
    SCALES,
    Cell,
    FinishedCell,
    Request,
    Results,
    gather,
    needed_cells,
    pack,
)

MakeCell = Callable[..., FinishedCell]
Measured = Callable[..., Results]


@pytest.fixture
def make_cell() -> MakeCell:
    """A finished cell with given right images, or measures alone."""

    def make(cell: Cell, right: np.ndarray | None = None, failure: str = "", **measures: float) -> FinishedCell:
        named = {name.replace("__", "/"): value for name, value in measures.items()}
        if right is not None:
            named = {"test/top1": float(right.mean()), **named}
        return FinishedCell(
            key=cell.key,
            recipe=cell.recipe.name,
            method=cell.recipe.method,
            changes=json.dumps({"stage1": cell.stage1_key}),
            seed=cell.recipe.seed,
            data="digits",
            seconds=60.0,
            threads=1,
            processor="a processor",
            commit="0123456789abcdef",
            finished="2026-11-17T12:00:00+00:00",
            failure=failure,
            test_set="one",
            measures=named,
            right="" if right is None else pack(right),
            right_when_corrupted="",
        )

    return make


@pytest.fixture
def measured(make_cell: MakeCell) -> Measured:
    """The results of an experiment whose cells are one image better than the one before."""

    def measure(name: str, seeds: tuple[int, ...] = (0, 1), **measures: float) -> Results:
        experiment, request = EXPERIMENTS[name], Request(scale=SCALES["smoke"], seeds=seeds)
        finished: dict[str, FinishedCell] = {}
        places: dict[str, int] = {}
        while missing := [c for c in needed_cells(experiment, request, finished) if c.key not in finished]:
            for cell in missing:
                place = places.setdefault(Cell(replace(cell.recipe, seed=0), cell.extras).key, len(places))
                right = np.arange(100) < 50 + place + cell.recipe.seed
                finished[cell.key] = make_cell(cell, right, **{"validation__top1": 0.5 + place / 100, **measures})
        return gather(experiment, request, finished)

    return measure

"""Finished cells that nobody trained."""

from collections.abc import Callable

import numpy as np
import pytest

from supcon.experiments import Cell, FinishedCell, pack

MakeCell = Callable[..., FinishedCell]


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
            changes="{}",
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

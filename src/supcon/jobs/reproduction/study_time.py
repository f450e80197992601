"""How long the cells that are left will take, from those that are finished; does not import torch."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping

from supcon.experiments import Cell, FinishedCell


def seconds_of(left: Iterable[Cell], known: Mapping[str, Cell], finished: Mapping[str, FinishedCell]) -> float:
    """Seconds of computing for the cells; NaN if no cell is finished.

    A grid has cells of 6 and of 160 epochs, so time is counted by the views that a network of the same size sees. Of
    `finished`, only `known` cells tell what they trained; a size without any takes the mean of all finished cells.
    """
    seconds: dict[object, float] = defaultdict(float)
    views: dict[object, float] = defaultdict(float)
    trained = [cell for cell in finished.values() if not cell.failure]
    for cell in trained:
        if cell.key in known:
            recipe = known[cell.key].recipe
            seconds[recipe.encoder] += cell.seconds
            views[recipe.encoder] += _views(known[cell.key])
    mean = sum(cell.seconds for cell in trained) / len(trained) if trained else math.nan
    return math.fsum(
        seconds[cell.recipe.encoder] / views[cell.recipe.encoder] * _views(cell)
        if cell.recipe.encoder in views
        else mean
        for cell in left
    )


def _views(cell: Cell) -> float:
    """In proportion to the views of stage 1; all cells of a study have the same data."""
    recipe = cell.recipe
    images = (recipe.data.fraction or 1) * (recipe.data.per_class or 1)
    return recipe.stage1.epochs * recipe.views.count * images

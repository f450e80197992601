"""Cells that differ only in stage 2 train their encoder once."""

import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from supcon.base.atomic_files import replacing
from supcon.experiments import Cell
from supcon.stages import METHODS


class SharedStage1:
    """Keeps a finished stage 1 in the work folder if several cells of the request begin with it.

    The result of a cell stays the same to the bit: every stage starts from weights and views that depend on the seed
    alone, as after an interruption between the stages.
    """

    def __init__(self, work: Path, cells: Iterable[Cell] = ()) -> None:
        self._folder = work / "stage1"
        counts = Counter(cell.stage1_key for cell in cells if METHODS[cell.recipe.method].stage2)
        self._shared = {key for key, count in counts.items() if count > 1}

    def find(self, cell: Cell) -> Path | None:
        """The folder of a finished stage 1 with which the cell can begin."""
        path = self._folder / cell.stage1_key
        return path if cell.stage1_key in self._shared and path.exists() else None

    def keep(self, cell: Cell, stage1: Path) -> None:
        """Copies the stage 1 of a finished cell, with its checkpoint, if another cell may begin with it."""
        path = self._folder / cell.stage1_key
        # A run that was tidied before has no checkpoints any more.
        if cell.stage1_key in self._shared and not path.exists() and (stage1 / "checkpoints").exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as copy:
                shutil.copytree(stage1, copy)

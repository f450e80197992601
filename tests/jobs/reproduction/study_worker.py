"""A worker process of a study whose cells take a given time and compute nothing: STORAGE FOLDER NAME SECONDS."""

import sys
import time
from pathlib import Path

from supcon.experiments import Cell, FinishedCell
from supcon.jobs.reproduction.cell_study import CellStudy
from supcon.jobs.reproduction.study_storage import open_storage
from supcon.recipes import change_recipe, find_recipe

CELLS = {cell.key: cell for cell in (Cell(change_recipe(find_recipe("digits"), {"seed": seed})) for seed in range(5))}


def finished(cell: Cell) -> FinishedCell:
    return FinishedCell(
        key=cell.key,
        recipe=cell.recipe.name,
        method=cell.recipe.method,
        changes="{}",
        seed=cell.recipe.seed,
        data="digits",
        seconds=1.0,
        threads=1,
        processor="none",
        commit="",
        finished="2026-11-17",
        failure="",
        test_set="t",
        measures={"test/top1": 0.5 + cell.recipe.seed / 100},
        right="",
        right_when_corrupted="",
    )


def main(storage: str, folder: Path, name: str, seconds: float) -> None:
    def note(word: str, cell: Cell) -> None:
        with (folder / "log").open("a") as log:
            log.write(f"{word} {name} {cell.key}\n")

    def run(cell: Cell) -> FinishedCell:
        note("begin", cell)
        time.sleep(seconds)
        note("end", cell)
        return finished(cell)

    # A worker counts as dead after 9 seconds without a heartbeat: one that merely waits for a busy core is alive.
    study = CellStudy(open_storage(storage, heartbeat=3), CELLS, {}, folder)
    study.work(run, lambda cell: None)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3], float(sys.argv[4]))

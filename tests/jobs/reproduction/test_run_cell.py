"""Single cells on the digits, one epoch."""

from pathlib import Path

import pytest

from supcon.base.errors import WorkError
from supcon.experiments import EXPERIMENTS, SCALES, Cell, Request
from supcon.recipes import change_recipe

SMOKE = Request(scale=SCALES["smoke"])


def test_gradients_and_transfer_are_measured(tmp_path: Path) -> None:
    from supcon.jobs.reproduction.run_cell import CellPlaces, run_cell

    row = EXPERIMENTS["gradients"].settings(SCALES["smoke"])[0]
    cell = Cell(
        SMOKE.cell(row, {}, 0).recipe, frozenset({"gradients", "transfer"}), frozenset(SCALES["smoke"].transfers)
    )
    finished = run_cell(cell, CellPlaces(tmp_path, SCALES["smoke"]))
    assert not finished.failure
    for kind in ("positives", "negatives"):
        measured = finished.measures[f"gradients/{kind}_hard_to_easy"]
        assert measured == finished.measures[f"gradients/epoch_1/{kind}_hard_to_easy"] > 0
    assert finished.measures["transfer/digits/fine_tune/top1"] > 0
    assert not cell.lacks(finished.measures)
    assert '"stage1.epochs": 1' in finished.changes


def test_a_training_that_fails_is_a_result(tmp_path: Path) -> None:
    from supcon.jobs.reproduction.run_cell import CellPlaces, run_cell

    recipe = change_recipe(SCALES["smoke"].base("cross-entropy"), {"stage1.optimizer.lr": 1e30})
    places = CellPlaces(tmp_path, SCALES["smoke"])
    left = places.run(Cell(recipe))
    left.mkdir(parents=True)
    (left / "splits.csv").touch()  # of a process that was killed before the folder was a run
    finished = run_cell(Cell(recipe), places)
    assert "The loss became" in finished.failure or "The gradient became" in finished.failure
    assert finished.measures == {}


def test_too_little_memory_is_not_a_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from supcon.jobs.reproduction.run_cell import CellPlaces, run_cell
    from supcon.stages.cross_entropy import CrossEntropy

    def step(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(CrossEntropy, "training_step", step)
    cell = Cell(SCALES["smoke"].base("cross-entropy"))
    with pytest.raises(WorkError, match="There is not enough memory"):
        run_cell(cell, CellPlaces(tmp_path, SCALES["smoke"]))


def test_a_damaged_checkpoint_is_not_a_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from supcon.jobs.reproduction.run_cell import CellPlaces, run_cell
    from supcon.stages.cross_entropy import CrossEntropy

    places, cell = CellPlaces(tmp_path, SCALES["smoke"]), Cell(SCALES["smoke"].base("cross-entropy"))

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(CrossEntropy, "training_step", killed)
        with pytest.raises(KeyboardInterrupt):
            run_cell(cell, places)
    checkpoint = places.run(cell) / "stage1" / "checkpoints" / "last.ckpt"
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    checkpoint.write_bytes(b"cut")
    with pytest.raises(WorkError, match="cannot be read"):
        run_cell(cell, places)

"""One training of an encoder for several cells, on the digits, one epoch."""

from pathlib import Path

import pytest

from supcon.experiments import SCALES, Cell
from supcon.recipes import change_recipe


def test_cells_that_differ_in_stage_2_train_their_encoder_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from supcon.jobs.reproduction.run_cell import CellPlaces, run_cell
    from supcon.jobs.reproduction.shared_stage1 import SharedStage1
    from supcon.stages.pretrain import Pretrain

    scale = SCALES["smoke"]
    first, second = (Cell(change_recipe(scale.base("supcon"), {"stage2.optimizer.lr": lr})) for lr in (0.1, 0.7))
    alone = run_cell(second, CellPlaces(tmp_path / "alone", scale))
    places, shared = CellPlaces(tmp_path / "both", scale), SharedStage1(tmp_path / "both", [first, second])
    run_cell(first, places, shared)

    def step(*_: object) -> None:
        raise AssertionError("stage 1 is trained again")

    monkeypatch.setattr(Pretrain, "training_step", step)
    after = run_cell(second, places, shared)
    model = [CellPlaces(tmp_path / name, scale).run(second) / "model.safetensors" for name in ("alone", "both")]
    assert model[0].read_bytes() == model[1].read_bytes()
    assert alone.right == after.right
    assert not shared.find(Cell(change_recipe(second.recipe, {"seed": 5})))


def test_a_stage_1_that_one_cell_has_is_not_kept(tmp_path: Path) -> None:
    from supcon.jobs.reproduction.shared_stage1 import SharedStage1

    for method in ("supcon", "cross-entropy"):
        base = SCALES["smoke"].base(method)
        cells = [Cell(change_recipe(base, {"seed": seed})) for seed in (0, 1)]
        if method == "cross-entropy":  # its one stage trains with the settings of its classifier, too
            cells.append(Cell(change_recipe(base, {"stage2.optimizer.lr": 0.7})))
        shared = SharedStage1(tmp_path, cells)
        shared.keep(cells[0], tmp_path)
        assert shared.find(cells[0]) is None


def test_a_stage_1_without_its_checkpoint_is_not_kept(tmp_path: Path) -> None:
    """That of a run which was tidied before: no cell could begin with it."""
    from supcon.jobs.reproduction.shared_stage1 import SharedStage1

    base = SCALES["smoke"].base("supcon")
    cells = [Cell(change_recipe(base, {"stage2.optimizer.lr": lr})) for lr in (0.1, 0.7)]
    shared, stage1 = SharedStage1(tmp_path, cells), tmp_path / "run"
    stage1.mkdir()
    shared.keep(cells[0], stage1)
    assert shared.find(cells[1]) is None
    (stage1 / "checkpoints").mkdir()
    shared.keep(cells[0], stage1)
    assert shared.find(cells[1]) is not None

"""Cells written to CSV and read back."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from experiments.conftest import MakeCell
from supcon.base.errors import RequestError
from supcon.experiments import Cell, add_cells, from_json, pack, read_cells, to_json
from supcon.recipes import change_recipe, find_recipe

CELLS = [Cell(change_recipe(find_recipe("digits"), {"seed": seed})) for seed in range(3)]


def test_cells_come_back_as_they_were(tmp_path: Path, make_cell: MakeCell) -> None:
    right = np.random.default_rng(0).random(1000) < 0.7
    cells = [make_cell(cell, right, test__ece=0.01234567891) for cell in CELLS]
    file = tmp_path / "new" / "x.cells.csv"
    add_cells(file, cells[:2])
    add_cells(file, cells[1:])
    found = read_cells([file, tmp_path / "missing.csv"])
    assert set(found) == {cell.key for cell in CELLS}
    one = found[CELLS[0].key]
    assert one.measures["test/top1"] == pytest.approx(right.mean(), abs=1e-6)
    assert one.measures["test/ece"] == 0.01234568
    assert one.right_images is not None
    assert np.array_equal(one.right_images, right)
    assert one.corrupted_images is None
    assert from_json(to_json(one)) == one
    before = file.stat().st_mtime_ns
    add_cells(file, cells)
    assert file.stat().st_mtime_ns == before, "nothing new, so nothing is written"


def test_the_share_of_corrupted_versions_counts_corruptions_only(make_cell: MakeCell) -> None:
    names = ("corruptions__fog__1__top1", "corruptions__fog__5__top1", "corruptions__fog__5__ece")
    others = ("corruptions__severity_1__mean_top1", "transfer__digits__fine_tune__top1")
    cell = make_cell(CELLS[0], **dict.fromkeys((*names, *others), 0.5))
    cell = replace(cell, right_when_corrupted=pack(np.array([0, 1, 2])))
    assert cell.corrupted_images is not None
    assert cell.corrupted_images.tolist() == [0, 0.5, 1]


def test_a_cell_that_measured_more_replaces_one_that_measured_less(tmp_path: Path, make_cell: MakeCell) -> None:
    file = tmp_path / "x.cells.csv"
    add_cells(file, [make_cell(CELLS[0], test__top1=0.5)])
    add_cells(file, [make_cell(CELLS[0], test__top1=0.5, corruptions__mean_top1=0.3)])
    add_cells(file, [make_cell(CELLS[0], test__top1=0.5)])
    assert "corruptions/mean_top1" in read_cells([file])[CELLS[0].key].measures


def test_what_two_experiments_measured_of_a_cell_is_put_together(tmp_path: Path, make_cell: MakeCell) -> None:
    corrupted = make_cell(CELLS[0], test__top1=0.5, corruptions__mean_top1=0.3, corruptions__mce=0.9)
    corrupted = replace(corrupted, right_when_corrupted=pack(np.array([0, 1, 2])))
    moved = make_cell(CELLS[0], test__top1=0.5, transfer__mean__linear__accuracy=0.7)
    for name, cell in {"robustness": corrupted, "transfer": moved}.items():
        add_cells(tmp_path / f"{name}.cells.csv", [cell])
    for files in (sorted(tmp_path.iterdir()), sorted(tmp_path.iterdir(), reverse=True)):
        found = read_cells(files)[CELLS[0].key]
        assert found.measures == {**corrupted.measures, **moved.measures}
        assert found.right_when_corrupted == corrupted.right_when_corrupted


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "x.cells.csv"
    file.write_text("key,seed\na,b\n")
    with pytest.raises(RequestError, match=r"x\.cells\.csv is not a file of finished cells"):
        read_cells([file])


def test_a_file_with_other_columns_is_named_before_it_is_replaced(tmp_path: Path, make_cell: MakeCell) -> None:
    file = tmp_path / "x.cells.csv"
    file.write_text("my notes\n")
    with pytest.raises(RequestError, match=r"x\.cells\.csv is not a file of finished cells \(other columns\)"):
        add_cells(file, [make_cell(CELLS[0], test__top1=0.5)])
    assert file.read_text() == "my notes\n"

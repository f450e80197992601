"""What a cell is, and when two are the same."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from supcon.base.errors import RequestError
from supcon.experiments import EXPERIMENTS, SCALES, Cell, Request, Setting, cells_by_key
from supcon.recipes import change_recipe, find_recipe

DIGITS = find_recipe("digits")


def test_a_key_does_not_depend_on_the_machine(tmp_path: Path) -> None:
    for place in ("here", "there"):
        (tmp_path / place / "cifar10").mkdir(parents=True)
    keys = {
        Cell(
            change_recipe(DIGITS, {"data.spec": str(tmp_path / place / "cifar10"), "device": device, "data.hold": hold})
        ).key
        for place, device, hold in (("here", "cpu", "cache"), ("there", "gpu", "memory"))
    }
    assert len(keys) == 1


@pytest.mark.parametrize("change", [{"seed": 1}, {"loss.temperature": 0.2}, {"data.per_class": 5}, {"epochs": 3}])
def test_a_key_depends_on_what_is_computed(change: dict[str, object]) -> None:
    assert Cell(DIGITS).key != Cell(change_recipe(DIGITS, change)).key
    assert Cell(DIGITS).key == Cell(change_recipe(DIGITS, {"loss.temperature": DIGITS.loss.temperature})).key


def test_a_cell_that_two_experiments_ask_for_measures_what_both_want() -> None:
    plain, corrupted = Cell(DIGITS), Cell(DIGITS, frozenset({"corruptions"}))
    assert cells_by_key([plain, corrupted, plain])[plain.key].extras == {"corruptions"}
    assert corrupted.lacks({"test/top1": 0.5}) == ["corruptions"]
    assert corrupted.lacks({"corruptions/mean_top1": 0.5}) == []


def test_a_cell_lacks_what_was_transferred_to_other_sets_or_in_part() -> None:
    scale = replace(SCALES["smoke"], transfer_to=("digits", "fashion-mnist"), linear_transfer=True)
    cell = Request(scale=scale).cell(EXPERIMENTS["transfer"].settings(scale)[0], {}, 0)
    measures = {
        f"transfer/{data}/{protocol}/top1": 0.5
        for data in ("digits", "fashion-mnist")
        for protocol in ("fine_tune", "linear")
    }
    assert cell.lacks(measures) == []
    for name in measures:
        assert cell.lacks({other: 0.5 for other in measures if other != name}) == ["transfer"]


def test_what_is_measured_while_it_trains_is_another_training() -> None:
    assert Cell(DIGITS).key != Cell(DIGITS, frozenset({"gradients"})).key


def test_a_request_narrows_the_rows_down() -> None:
    request = Request(scale=SCALES["smoke"], only=("Eq. 3",))
    assert [row.name for row in request.settings(EXPERIMENTS["loss-variants"])] == ["L_in (Eq. 3)"]
    with pytest.raises(RequestError, match="--cells nothing is in no row of loss-variants; there are: L_out"):
        Request(scale=SCALES["smoke"], only=("nothing",)).settings(EXPERIMENTS["loss-variants"])


def test_the_encoder_is_the_same_whatever_stage_2_does_with_it() -> None:
    """Also that of cross-entropy with one stage and with two; `joint` trains with the settings of stage 2."""

    def encoder(method: Any, **changes: object) -> str:
        return Cell(change_recipe(find_recipe("digits", method), changes)).stage1_key

    same = encoder("cross-entropy")
    assert encoder("cross-entropy-two-stage", **{"stage2.optimizer.lr": 0.7}) == same
    assert encoder("cross-entropy", seed=1) != same
    assert encoder("cross-entropy", **{"stage1.epochs": 3}) != same
    assert len({encoder(method) for method in ("cross-entropy", "large-margin", "supcon", "simclr", "joint")}) == 5
    assert encoder("supcon", **{"stage2.epochs": 3}) == encoder("supcon")
    assert encoder("joint", **{"stage2.label_smoothing": 0.3}) != encoder("joint")


def test_a_part_of_the_rows_another_recipe_or_other_transfer_sets_are_not_the_whole_table() -> None:
    small = SCALES["small"]
    assert Request(scale=small, data="cifar10", seeds=(1, 2)).whole
    assert not Request(scale=small, data="cifar10", only=("SupCon",)).whole
    assert not Request(scale=small, data="cifar10", recipe="cifar10-small").whole
    assert not Request(scale=replace(small, transfer_to=("cifar100",)), data="cifar10").whole


def test_another_recipe_and_options_reach_the_cells() -> None:
    request = Request(scale=SCALES["smoke"], recipe="fashion-mnist-small", options={"data.root": "/data"}, seeds=(7,))
    recipe = request.cell(Setting(name="x", method="cross-entropy"), {"stage1.epochs": 2}, 7).recipe
    assert recipe.name == "fashion-mnist-small-cross-entropy"
    assert (recipe.data.root, recipe.seed, recipe.stage1.epochs) == ("/data", 7, 2)


def test_a_folder_is_not_the_data_set_of_its_name() -> None:
    """Its images may be lossy files, for example."""
    request = Request(scale=SCALES["small"], data="cifar10")
    row = EXPERIMENTS["loss-variants"].settings(SCALES["small"])[0]
    keys = {replace(request, data=data).cell(row, {}, 0).key for data in ("cifar10", "cifar10/", "/data/cifar10")}
    assert len(keys) == 2
    assert request.cell(row, {}, 0).key != replace(request, data="cifar10/").cell(row, {}, 0).key

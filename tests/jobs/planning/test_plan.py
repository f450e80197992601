"""What `supcon train` prints before it trains."""

from pathlib import Path
from typing import Any

import pytest

from supcon.cli.main import main
from supcon.jobs.planning.prepare_run import make_plan
from supcon.recipes import change_recipe, find_recipe
from supcon.runs import Run

FAST = ["--encoder.width", "8", "--stage1.knn_every", "0", "--device", "cpu", "--stage2.epochs", "1"]


def test_the_first_command_on_a_small_folder_runs_and_says_what_it_does(
    insects: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["train", str(insects), "--recipe", "folder", "--encoder.name", "small-resnet", "--epochs", "1"]
    assert main([*words, "--out", str(tmp_path / "run"), *FAST]) == 0
    said = capsys.readouterr().err
    assert "insects: 36 train, 4 held out, 16 validation images of 2 classes" in said
    lines = [line.split() for line in said.splitlines()]
    assert ["class", "train", "held", "out", "validation"] in lines
    assert ["ants", "18", "2", "8"] in lines
    assert "8 images, 2 views of each; the recipe's 256 are too many for 36" in said
    for name in ("encoder", "images", "stage 1", "stage 2", "in all", "memory", "run"):
        assert any(line.startswith(name) for line in said.splitlines())
    recipe = Run(tmp_path / "run").recipe
    assert recipe["stage1"]["batch_size"] == recipe["stage2"]["batch_size"] == 8
    assert (recipe["data"]["image_size"], recipe["data"]["hold"]) == (30, "memory")


def test_a_long_run_starts_with_what_would_be_faster(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("supcon.jobs.planning.faster.LONG", -1)
    assert main(["train", "--epochs", "4", "--out", str(tmp_path / "run"), *FAST]) == 0
    said = capsys.readouterr().err
    assert "Faster alternatives" in said
    assert "--epochs 1" in said


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"data.memory_limit": 1e-6}, "in a cache file of decoded images, since they do not fit into memory batch"),
        ({"data.hold": "cache"}, "in a cache file of decoded images batch"),
        ({"data.hold": "decode"}, "decoded for each batch batch"),
        ({}, "in memory batch"),
    ],
)
def test_the_reason_for_a_storage_is_given_where_the_user_has_not_chosen_it(
    insects: Path, changes: dict[str, Any], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    small = {"data.spec": str(insects), "encoder.name": "small-resnet", "encoder.width": 8, "device": "cpu"}
    make_plan(change_recipe(find_recipe("folder"), {**small, **changes}), None, set(changes))
    said = capsys.readouterr().err
    assert f"decoded, {sentence}" in " ".join(said.split())  # `batch` begins the next line
    assert "about" not in said  # without a folder it is a dry run, which measures time and memory

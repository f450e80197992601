"""What may change when a run is resumed."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from supcon.base.errors import RequestError
from supcon.cli.main import main
from supcon.jobs.planning.resume_changes import longer_run
from supcon.recipes import change_recipe, find_recipe
from supcon.runs import Run

FAST = ["--encoder.width", "8", "--stage1.knn_every", "0", "--device", "cpu", "--stage2.epochs", "1"]
CONSTANT = ["--stage1.optimizer.schedule", "constant", "--stage1.optimizer.warmup_epochs", "0"]


def test_a_run_can_go_on_further_where_the_schedule_allows(tmp_path: Path) -> None:
    words = ["train", *FAST, *CONSTANT]
    assert main([*words, "--epochs", "1", "--out", str(tmp_path / "longer")]) == 0
    assert main(["train", "--resume", "--out", str(tmp_path / "longer"), "--epochs", "2"]) == 0
    assert main([*words, "--epochs", "2", "--out", str(tmp_path / "at once")]) == 0
    first, second = (load_file(tmp_path / name / "model.safetensors") for name in ("longer", "at once"))
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert Run(tmp_path / "longer").recipe["stage1"]["epochs"] == 2


def test_a_run_whose_schedule_has_ended_says_why_not(
    tiny_runs: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    before = (tiny_runs["supcon"] / "evaluation.json").read_bytes()
    assert main(["train", "--resume", "--out", str(tiny_runs["supcon"]), "--epochs", "5"]) == 2
    assert "its learning rate follows a cosine that ends with epoch 2" in capsys.readouterr().err
    assert main(["train", "--resume", "--out", str(tiny_runs["supcon"]), "--seed", "5"]) == 2
    assert "leave that option out" in capsys.readouterr().err
    assert (tiny_runs["supcon"] / "evaluation.json").read_bytes() == before


def test_more_epochs_are_taken_where_earlier_steps_stay_the_same() -> None:
    stored = change_recipe(find_recipe("digits"), {"stage1.optimizer.schedule": "constant", "data.hold": "memory"})
    asked = change_recipe(stored, {"stage1.epochs": 90, "data.hold": "cache"})
    assert longer_run(stored, asked) == asked


@pytest.mark.parametrize(
    ("stored", "asked", "why"),
    [
        ({}, {"stage1.epochs": 90}, "its learning rate follows a cosine that ends with epoch 60"),
        ({"stage1.optimizer.schedule": "constant"}, {"stage1.epochs": 30}, "a finished run cannot be shortened"),
        (
            {"stage1.optimizer.schedule": "constant", "stage1.optimizer.warmup_epochs": 40},
            {"stage1.epochs": 90},
            "its warm-up was shortened to half of",
        ),
        ({}, {"loss.temperature": 0.2}, "in which loss.temperature is 0.1, but 0.2 was given; leave that option out"),
    ],
)
def test_what_would_have_changed_earlier_steps_is_refused(
    stored: dict[str, object], asked: dict[str, object], why: str
) -> None:
    recipe = change_recipe(find_recipe("digits"), stored)
    with pytest.raises(RequestError, match=why):
        longer_run(recipe, change_recipe(recipe, asked))

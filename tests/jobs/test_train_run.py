"""What a run is started with from Python, and runs that are stopped by hand."""

import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from supcon.jobs.train_run import train
from supcon.recipes import Method, Recipe, change_recipe, find_recipe
from supcon.runs import Run

FAST = ["--encoder.width", "8", "--stage1.knn_every", "0", "--device", "cpu", "--stage2.epochs", "1"]


def test_ctrl_c_names_the_run(tmp_path: Path) -> None:
    words = ["train", "--epochs", "500", "--out", "a run", *FAST]
    listen = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # a shell's background jobs ignore it
    process = subprocess.Popen(
        [sys.executable, "-m", "supcon", *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True, preexec_fn=listen
    )
    deadline = time.monotonic() + 120
    while not (tmp_path / "a run" / "stage1" / "metrics.csv").exists() and time.monotonic() < deadline:
        time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    last = said.splitlines()[-1]
    assert last == "supcon: Stopped. `supcon train --resume --out 'a run'` continues from the last checkpoint."


@pytest.mark.parametrize("method", [None, "supcon", "cross-entropy"])
def test_the_method_of_a_recipe_object_can_be_changed(method: Method | None, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Recipe] = []

    def run_recipe(recipe: Recipe, folder: Path, given: object) -> Run:
        started.append(recipe)
        return Run(folder)

    monkeypatch.setattr("supcon.jobs.train_run.run_recipe", run_recipe)
    own = change_recipe(find_recipe("digits-simclr"), {"epochs": 3})
    train(recipe=own, method=method, out="nowhere")
    assert started == [change_recipe(own, {"method": method})]
    assert started[0].method == (method or "simclr")

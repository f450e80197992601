"""What a run is started with from Python, and runs that are stopped by hand."""

import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
import torch
from torch import nn

from references.random_states import random_states_stay
from supcon.data import Split
from supcon.encoder import Encoder
from supcon.jobs.train_run import dry_run, resume, train
from supcon.recipes import Method, Recipe, change_recipe, find_recipe
from supcon.runs import Run
from supcon.serving.saved_model import model_from_bytes
from supcon.stages import HardwareConfig

FAST = ["--encoder.width", "8", "--stage1.knn_every", "0", "--device", "cpu", "--stage2.epochs", "1"]


def test_ctrl_c_names_the_run(tmp_path: Path) -> None:
    words = ["train", "--epochs", "500", "--out", "a run", *FAST]
    listen = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # a shell's background jobs ignore it
    process = subprocess.Popen(
        [sys.executable, "-m", "supcon", *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True, preexec_fn=listen
    )
    deadline = time.monotonic() + 200
    while not (tmp_path / "a run" / "stage1" / "metrics.csv").exists():
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=200)
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


class StopHereError(Exception):
    """Ends a run at the place that a test is about."""


def test_after_training_the_networks_are_on_the_device_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lightning leaves them on the CPU; `meta` is the GPU of this test, without which the saved model can be loaded."""
    encoded: list[str] = []
    evaluated: list[str] = []

    def meta(hardware: HardwareConfig) -> torch.device:
        assert hardware.device == "cpu"
        return torch.device("meta")

    def encode(encoder: Encoder, split: Split, image_size: int, device: torch.device) -> torch.Tensor:
        encoded.append(device.type)
        return torch.randn(len(split), encoder.width)

    def evaluate(encoder: nn.Module, classifier: nn.Module, data: object) -> None:
        evaluated.extend(next(network.parameters()).device.type for network in (encoder, classifier))
        raise StopHereError

    for module in ("train_run", "both_stages"):
        monkeypatch.setattr(f"supcon.jobs.{module}.run_device", meta)
    monkeypatch.setattr("supcon.jobs.both_stages.encode_training_images", encode)
    monkeypatch.setattr("supcon.jobs.train_run.evaluate_model", evaluate)
    options = {"encoder.width": 8, "stage1.knn_every": 0, "stage2.cached": True, "stage2.epochs": 1}
    with pytest.raises(StopHereError):
        train("digits", out=tmp_path / "run", epochs=1, device="cpu", options=options)
    assert (encoded, evaluated) == (["meta"], ["meta", "meta"])
    model = model_from_bytes((tmp_path / "run" / "model.safetensors").read_bytes())
    assert next(model.encoder.parameters()).device.type == "cpu"


def test_training_leaves_the_random_numbers_of_the_caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise StopHereError

    options = {"epochs": 1, "device": "cpu", "encoder.width": 8, "stage1.knn_every": 0, "stage2.epochs": 1}
    recipe = change_recipe(find_recipe("digits"), options)
    with random_states_stay():
        dry_run(recipe)
    with monkeypatch.context() as patch:
        patch.setattr("supcon.jobs.train_run.evaluate_model", stop)
        with random_states_stay(), pytest.raises(StopHereError):
            train("digits", recipe=recipe, out=tmp_path / "run")
    with random_states_stay():
        resume(tmp_path / "run")

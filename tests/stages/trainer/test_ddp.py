"""Real processes: the losses of one, one voice, one end."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lightning.fabric.strategies.launchers.subprocess_script import _ChildProcessObserver

from references import shared_training
from supcon.base.errors import RequestError
from supcon.base.metrics_table import read_metrics
from supcon.stages.config import HardwareConfig
from supcon.stages.trainer.ddp import check_hardware, run_device, trainer_options, watch_children
from supcon.stages.trainer.synced_norms import SyncedNorms

SCRIPT = Path(shared_training.__file__)


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=280)


def test_two_processes_have_the_losses_of_one_step_by_step(tmp_path: Path) -> None:
    """With gradient caching and a queue on top: neither changes what is learnt."""
    shared_training.train(tmp_path / "one", 1, None, 40)
    done = run(tmp_path / "two", 2, 5, 40)
    assert done.returncode == 0, done.stderr
    one, two = (read_metrics(tmp_path / name / "metrics.csv") for name in ("one", "two"))
    assert list(one) == list(two) == list(range(1, 9))
    for epoch in one:
        assert two[epoch]["train/loss"] == pytest.approx(one[epoch]["train/loss"], abs=1e-4)
        assert two[epoch]["train/gradient_norm"] == pytest.approx(one[epoch]["train/gradient_norm"], rel=1e-3)
        assert two[epoch]["lr"] == one[epoch]["lr"]
    assert len({row["train/loss"] for row in one.values()}) == 8  # it does learn
    assert two[8]["validation/knn_top1"] == 0  # measured by the first process
    assert done.stderr.count("A step has 48 rows") == 1
    assert done.stderr.count("] epoch 8 ") == 1


def test_an_error_in_one_process_ends_all_with_its_sentence(tmp_path: Path) -> None:
    done = run(tmp_path / "run", 2, 0, 0, "fail")
    assert done.returncode != 0
    said = [line for line in done.stderr.splitlines() if line.startswith("supcon: ")]
    assert said[0] == "supcon: image 7 cannot be read."
    assert said[1:] == ["supcon: Another process of this run has stopped; see its error message above."]
    assert "Traceback" not in done.stderr


def test_lightnings_own_watch_sees_no_processes() -> None:
    """It would kill this process before its error message is written."""
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    seen = [child]
    launcher = SimpleNamespace(procs=seen)
    watch_children(launcher)
    assert child.wait(60) == 0
    assert (seen, launcher.procs) == ([], [child])
    watch_children(None)  # one process has no launcher
    assert _ChildProcessObserver(1, seen)._run() is True


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"device": "gpu", "devices": 3}, "3 GPUs were requested, but torch finds 0"),
        ({"device": "cpu", "precision": "16-mixed"}, "16-mixed needs a GPU; on a CPU use --precision bf16-mixed."),
    ],
)
def test_what_the_machine_lacks_is_refused(
    options: dict[str, Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    with pytest.raises(RequestError, match=words):
        check_hardware(HardwareConfig(**options))


def test_a_launch_with_another_number_of_processes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "none")
    monkeypatch.setenv("WORLD_SIZE", "4")
    check_hardware(HardwareConfig(device="cpu", devices=2, num_nodes=2))
    with pytest.raises(RequestError, match="torchrun started 4 processes, but --devices 1 times --num-nodes 1 is 1"):
        check_hardware(HardwareConfig(device="cpu"))


def test_batch_norm_is_synchronised_where_it_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    def synchronizes(**options: Any) -> bool:
        return any(isinstance(plugin, SyncedNorms) for plugin in trainer_options(HardwareConfig(**options))["plugins"])

    assert synchronizes(device="gpu", devices=2)
    assert not synchronizes(device="cpu", devices=2)
    assert not synchronizes(device="gpu")
    assert trainer_options(HardwareConfig(device="cpu", num_nodes=2))["strategy"] == "ddp"


@pytest.mark.parametrize(("cuda", "expected"), [(True, "cuda"), (False, "cpu")])
def test_auto_never_means_a_gpu_of_apple(cuda: bool, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lightning's own "auto" prefers `mps` to the CPU."""
    monkeypatch.setattr("torch.cuda.is_available", lambda: cuda)
    assert trainer_options(HardwareConfig(device="auto"))["accelerator"] == expected
    assert run_device(HardwareConfig(device="auto")).type == expected


def test_every_process_has_its_own_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOCAL_RANK", "SLURM_LOCALID", "SLURM_PROCID", "SLURM_STEP_ID"):
        monkeypatch.delenv(name, raising=False)
    gpu = HardwareConfig(device="gpu", devices=4)
    assert run_device(gpu).index == 0
    monkeypatch.setenv("LOCAL_RANK", "2")
    assert run_device(gpu).index == 2
    for name, value in {"SLURM_PROCID": "7", "SLURM_STEP_ID": "0", "SLURM_LOCALID": "3"}.items():
        monkeypatch.setenv(name, value)
    assert run_device(gpu).index == 3
    assert run_device(HardwareConfig(device="cpu", devices=4)).type == "cpu"

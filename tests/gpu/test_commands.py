"""The commands on a GPU, from training to search; an emulated GPU gives the files of the CPU to the bit."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import supcon
from conftest import TINY
from gpu.conftest import REAL
from supcon.cli.main import main
from supcon.runs import Run

METHODS = {
    "supcon with gradient caching": ["--stage1.micro_batch", "50"],
    "joint": ["--method", "joint"],
    "mixed cross-entropy": ["--method", "cross-entropy", "--mix.method", "mixup"],
}


def train(out: Path, device: str, *options: str) -> dict[str, torch.Tensor]:
    words = ["train", "digits", "--epochs", "1", *TINY[:-1], device, "--out", str(out), *options]
    assert main(words) == 0
    return {name: tensor.float() for name, tensor in load_file(out / "model.safetensors").items()}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("gpu") / "run"
    train(out, "gpu")
    return out


@pytest.mark.parametrize("name", METHODS)
def test_a_run_has_the_weights_of_one_on_the_cpu(name: str, tmp_path: Path) -> None:
    found, expected = (train(tmp_path / device, device, *METHODS[name]) for device in ("gpu", "cpu"))
    assert found.keys() == expected.keys()
    assert all(tensor.isfinite().all() for tensor in found.values())
    if not REAL:
        assert all(torch.equal(found[key], expected[key]) for key in expected)


def test_steps_do_not_wait_for_the_gpu(
    tmp_path: Path, reads: list[str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values are read for what is shown and logged now and then, but not by the steps themselves."""
    if reads is None:
        pytest.skip("a real GPU does not count")
    monkeypatch.setattr("supcon.stages.callbacks.diagnostics.is_sampled", lambda step, steps: step == 0)
    monkeypatch.setattr("supcon.stages.callbacks.training_progress._SECONDS_BETWEEN", 1e9)
    counts = []
    for batch in ("256", "32"):  # 4 and 39 steps in an epoch
        reads.clear()
        train(tmp_path / batch, "gpu", "--batch-size", batch)
        counts.append(len(reads))
    assert counts[1] - counts[0] < 10


def test_the_memory_queue_and_half_precision(tmp_path: Path) -> None:
    train(tmp_path / "queue", "gpu", "--loss.queue_size", "512")
    train(tmp_path / "half", "gpu", "--precision", "bf16-mixed", "--mix.method", "cutmix")
    for name in ("queue", "half"):
        assert 0 < Run(tmp_path / name).measures["test/top1"] <= 1


def test_an_interrupted_run_goes_on(run: Path, tmp_path: Path) -> None:
    """From the checkpoint of its last epoch, as after a kill before the weights were written."""
    cut = Path(shutil.copytree(run, tmp_path / "cut"))
    weights = [path.relative_to(cut) for path in cut.rglob("*.safetensors")]
    for name in (*weights, Path("evaluation.json")):
        (cut / name).unlink()
    assert main(["train", "--out", str(cut), "--resume"]) == 0
    for name in weights:
        assert REAL or (cut / name).read_bytes() == (run / name).read_bytes()


def test_evaluation_under_corruptions(run: Path) -> None:
    words = ["evaluate", str(run), "--on", "corruptions", "--corruptions", "gaussian_noise,fog", "--device"]
    assert main([*words, "gpu"]) == 0
    measures = dict(Run(run).measures)
    assert main([*words, "cpu"]) == 0
    for name, value in Run(run).measures.items():
        assert value == pytest.approx(measures[name], abs=0.01 if REAL else 1e-9), name


@pytest.mark.parametrize("protocol", ["fine-tune", "linear"])
def test_transfer(run: Path, photos: Path, protocol: str) -> None:
    options = ["--grid", "small", "--steps", "2", "--batch-size", "8"] if protocol == "fine-tune" else []
    assert main(["transfer", str(run), str(photos), "--protocol", protocol, "--device", "gpu", *options]) == 0
    assert any(name.startswith("transfer/") for name in Run(run).measures)


def test_predictions_embeddings_and_search(run: Path, photos: Path, tmp_path: Path) -> None:
    files = sorted(photos.rglob("*.png"))[:8]
    on_gpu, on_cpu = (supcon.load(run, device) for device in ("cuda", "cpu"))
    np.testing.assert_allclose(on_gpu.predict_proba(files), on_cpu.predict_proba(files), atol=1e-3 if REAL else 0)
    np.testing.assert_allclose(on_gpu.embed(files), on_cpu.embed(files), atol=1e-3 if REAL else 0)
    for words in (
        ["predict", str(run), str(photos)],
        ["embed", str(run), str(photos), "--out", str(tmp_path / "all.npz")],
        ["search", str(run), str(files[0]), "--gallery", str(photos)],
        ["audit", str(run)],
    ):
        assert main([*words, "--device", "gpu"]) == 0


def test_an_experiment(tmp_path: Path) -> None:
    words = ["--scale", "smoke", "--out", str(tmp_path / "out"), "--work", str(tmp_path / "work")]
    assert main(["reproduce", "gradients", *words]) == 0

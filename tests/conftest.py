"""Runs that several tests look at, made once."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from PIL import Image

from references.command_server import CommandServer

# How fast examples are made says nothing about the code under test; on a busy machine it is slow.
settings.register_profile("any machine", suppress_health_check=[HealthCheck.too_slow], deadline=None)
settings.load_profile("any machine")

# They need a process of their own, which tests/test_gpu.py starts.
collect_ignore = [] if "SUPCON_GPU_TESTS" in os.environ else ["gpu"]

TINY = ("--encoder.width", "8", "--stage2.epochs", "1", "--stage1.knn_every", "1", "--device", "cpu")
"""Options that make a run of the digits take seconds."""


@pytest.fixture(scope="session")
def tiny_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A finished run of every method on the digits, two epochs each."""
    from supcon.cli.main import main

    root = tmp_path_factory.mktemp("runs")
    for method in ("supcon", "simclr", "cross-entropy"):
        code = main(["train", "--method", method, "--epochs", "2", "--out", str(root / method), *TINY])
        assert code == 0
    return {path.name: path for path in root.iterdir()}


@pytest.fixture(scope="session")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two classes, light and dark, 24 images each of several sizes."""
    root = tmp_path_factory.mktemp("photos")
    random = np.random.default_rng(0)
    for name, level in (("dark", 60), ("light & bright", 190)):
        (root / name).mkdir()
        for index in range(24):
            height, width = random.integers(20, 40, size=2)
            pixels = random.normal(level, 20, size=(height, width, 3)).clip(0, 255).astype(np.uint8)
            Image.fromarray(pixels).save(root / name / f"{index}.png")
    return root


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """No test writes into the cache of the person who runs it, or finds data sets there."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("SUPCON_CACHE", str(folder))
        patch.delenv("SUPCON_DATA", raising=False)
        yield folder


@pytest.fixture(autouse=True, scope="session")
def quick_maps() -> Iterator[None]:
    """t-SNE, which takes half of the time of a tiny run, with as few steps as it allows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("supcon.evaluation.representations.embedding_map._ITERATIONS", 250)
        yield


@pytest.fixture(scope="session")
def command_server(tmp_path_factory: pytest.TempPathFactory, own_cache: Path) -> Iterator[CommandServer]:
    """Runs commands in processes of their own, of which none has to import torch."""
    made = CommandServer(tmp_path_factory.mktemp("server"))
    yield made
    made.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 64 kB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(disk)], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"cannot mount a small disk here: {done.stderr.strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.fixture(scope="session")
def insects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train and val folders with oblong photographs, no test folder."""
    root, random = tmp_path_factory.mktemp("data") / "insects", np.random.default_rng(0)
    for split, count in (("train", 20), ("val", 8)):
        for name, level in (("ants", 60), ("bees", 190)):
            (root / split / name).mkdir(parents=True)
            for number in range(count):
                pixels = random.normal(level, 20, size=(30, 45, 3)).clip(0, 255).astype(np.uint8)
                Image.fromarray(pixels).save(root / split / name / f"{name} {number}.png")
    return root

"""Runs that several tests look at, made once."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

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

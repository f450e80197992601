"""Runs that a test may change."""

import shutil
from pathlib import Path

import pytest


@pytest.fixture
def supcon_run(tiny_runs: dict[str, Path], tmp_path: Path) -> Path:
    """A copy of the tiny supcon run."""
    return Path(shutil.copytree(tiny_runs["supcon"], tmp_path / "supcon"))


@pytest.fixture
def baseline_run(tiny_runs: dict[str, Path], tmp_path: Path) -> Path:
    """A copy of the tiny cross-entropy run."""
    return Path(shutil.copytree(tiny_runs["cross-entropy"], tmp_path / "cross-entropy"))

"""Photographs of ice: which are drawn, and how they are resized."""

from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from supcon.evaluation import corrupt, frost_name
from supcon.evaluation.corruptions.frost import ice_photographs

FILES = {"frost1.png": 30, "frost2.png": 80, "frost3.png": 120, "frost4.jpg": 160, "frost5.jpg": 200}


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package with five flat photographs instead of the real ones."""
    (tmp_path / "frost").mkdir()
    for name, level in FILES.items():
        Image.new("RGB", (300, 260), (level,) * 3).save(tmp_path / "frost" / name, quality=100)
    found = ModuleSpec("imagecorruptions", None, is_package=True)
    found.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(ice_photographs, "find_spec", lambda _: found)
    ice_photographs._photographs.cache_clear()
    yield tmp_path
    ice_photographs._photographs.cache_clear()


def black(count: int, side: int, channels: int = 3) -> torch.Tensor:
    return torch.zeros(count, channels, side, side, dtype=torch.uint8)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("side", [8, 32, 64, 65, 224])
def test_all_five_photographs_are_drawn_evenly(side: int, channels: int, installed: Path) -> None:
    frosted = corrupt(black(300 if side < 65 else 60, side, channels), "frost", 3, texture="photographs").float()
    assert frosted.flatten(1).std(dim=1).max() < 0.6
    weight = 0.4 if side <= 64 else 0.7
    levels = np.array(sorted(FILES.values())) * weight
    nearest = np.abs(frosted.mean((1, 2, 3)).numpy()[:, None] - levels).argmin(1)
    counts = np.bincount(nearest, minlength=5) / len(nearest)
    assert np.abs(frosted.mean((1, 2, 3)).numpy() - levels[nearest]).max() < 1.5
    assert counts.min() > 0.1


def test_photographs_grow_where_images_are_larger(installed: Path) -> None:
    assert corrupt(black(3, 400), "frost", 2, texture="photographs").shape == (3, 3, 400, 400)


def test_the_real_photographs_are_read() -> None:
    folder = ice_photographs.photographs_folder()
    if folder is None:
        pytest.skip("the package imagecorruptions is not installed")
    ice_photographs._photographs.cache_clear()
    large, small = (ice_photographs._photographs(side, side) for side in (224, 32))
    assert [tuple(one.shape) for one in large] == [
        (3, 600, 900),
        (3, 315, 560),
        (3, 315, 560),
        (3, 350, 527),
        (3, 495, 660),
    ]
    assert [tuple(one.shape) for one in small] == [
        (3, 120, 180),
        (3, 63, 112),
        (3, 63, 112),
        (3, 70, 105),
        (3, 99, 132),
    ]
    assert frost_name("photographs").startswith("photographs of imagecorruptions 1.")

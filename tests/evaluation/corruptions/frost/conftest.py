"""Photographs of ice that are not those of the package."""

from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
from PIL import Image

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

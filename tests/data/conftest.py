"""Folders of real image files."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

MakeFolder = Callable[..., Path]


@pytest.fixture
def make_folder(tmp_path: Path) -> MakeFolder:
    """`make_folder({"train/cat": 3, ...})` writes that many PNG files, no two alike, and gives the root."""

    def make(counts: Mapping[str, int], *, size: tuple[int, int] = (8, 8), mode: str = "RGB") -> Path:
        draw = np.random.default_rng(0)
        channels = () if mode == "L" else (3,)
        for name, count in counts.items():
            folder = tmp_path / "photos" / name
            folder.mkdir(parents=True)
            for number in range(count):
                pixels = draw.integers(0, 256, (size[1], size[0], *channels), dtype=np.uint8)
                Image.fromarray(pixels).save(folder / f"{number:03}.png")
        return tmp_path / "photos"

    return make

"""Files that cannot be read as images, and one that can."""

from pathlib import Path

import numpy as np
from PIL import Image


def damaged(tmp_path: Path) -> dict[str, Path]:
    noise = np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8)
    whole = tmp_path / "whole.jpg"
    Image.fromarray(noise).save(whole)
    paths = {name: tmp_path / f"{name}.jpg" for name in ("cut", "text", "empty", "gone", "folder")}
    paths["cut"].write_bytes(whole.read_bytes()[:2000])
    paths["text"].write_text("no image")
    paths["empty"].touch()
    paths["folder"].mkdir()
    return paths | {"whole": whole}

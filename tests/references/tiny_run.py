"""The smallest run that goes through everything: data of 16 images, two stages, evaluation, report. Under a second."""

from pathlib import Path

import numpy as np
from PIL import Image

TINIEST = (
    *("--recipe", "folder", "--encoder.name", "small-resnet", "--encoder.width", "4", "--device", "cpu"),
    *("--epochs", "2", "--stage2.epochs", "1", "--batch-size", "4", "--stage1.knn_every", "2"),
)
"""Options of `supcon train`."""


def tiny_images(root: Path, count: int = 8) -> Path:
    """A folder of two classes with `count` images of 8x8 pixels each."""
    random = np.random.default_rng(0)
    for name, level in (("dark", 60), ("light", 190)):
        (root / name).mkdir(parents=True)
        for index in range(count):
            pixels = random.normal(level, 20, size=(8, 8)).clip(0, 255).astype(np.uint8)
            Image.fromarray(pixels).save(root / name / f"{index}.png")
    return root


def train_words(data: Path, out: Path, *more: str) -> list[str]:
    """The arguments of `supcon` for the run."""
    return ["train", str(data), *TINIEST, "--out", str(out), *more]

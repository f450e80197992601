"""Corrupted test images, computed once and stored, since all cells of a study are evaluated on the same ones."""

import fcntl
import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from supcon.base.atomic_files import write_file
from supcon.base.progress import Advance, bar
from supcon.data import ImageData, Split
from supcon.evaluation import SEVERITIES, array_batches, corrupted_batches, scores_of_batches, severity_measures
from supcon.serving import Model


def corrupted_set(data: ImageData, names: Sequence[str], folder: Path, gigabytes: float | None = None) -> Path:
    """Writes the corrupted test images of `data` to `folder` in the format of CIFAR-10-C, unless they are there.

    If those of `names` would take more than `gigabytes`, only every n-th test image is used. One process writes them
    while others wait.
    """
    test = data.test.pick(slice(None, None, _every(data, len(names), gigabytes)))
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        missing = [name for name in names if not (folder / f"{name}.npy").exists()]
        labels = np.tile(test.labels.numpy(), len(SEVERITIES))
        write_file(folder / "labels.npy", lambda file: np.save(file, labels))
        with bar("corrupting test images", len(missing) * len(labels), "images") as advance:
            for name in missing:
                images = np.concatenate(
                    [_corrupted(test, data.image_size, name, severity, advance) for severity in SEVERITIES]
                )
                write_file(folder / f"{name}.npy", partial(np.save, arr=images))
    return folder


def _every(data: ImageData, names: int, gigabytes: float | None) -> int:
    """The n of "every n-th test image"."""
    if gigabytes is None:
        return 1
    image = data.channels * data.image_size**2
    return math.ceil(names * len(SEVERITIES) * len(data.test) * image / (gigabytes * 1e9))


def _corrupted(test: Split, image_size: int, name: str, severity: int, advance: Advance) -> NDArray[np.uint8]:
    parts = []
    for images, _ in corrupted_batches(test, image_size, name, severity):
        parts.append(images.permute(0, 2, 3, 1).numpy())
        advance(steps=len(images), note=f"{name} {severity}")
    return np.concatenate(parts)


def measure_corrupted(model: Model, folder: Path, names: Sequence[str]) -> tuple[dict[str, float], NDArray[np.int64]]:
    """Accuracy and calibration error of every set, and for each test image the number of sets with a correct
    prediction."""
    measures: dict[str, float] = {}
    classes, channels, device = len(model.classes), model.card.channels, model.device
    right = torch.zeros(0, dtype=torch.int64)
    with bar("corrupted test images", len(names) * len(SEVERITIES), "sets") as advance:
        for name in names:
            for severity in SEVERITIES:
                logits, labels = scores_of_batches(
                    lambda images: model.classifier(model.encoder(images)),
                    array_batches(folder, name, severity, classes, channels),
                    device,
                )
                measures |= dict(severity_measures(logits, labels, name, severity))
                hits = (logits.argmax(1) == labels).long()
                right = hits if len(right) == 0 else right + hits
                advance(note=f"{name} {severity}")
    return measures, right.numpy()

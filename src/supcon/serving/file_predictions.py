"""Predictions of files, one after the other; a file that cannot be read gets an error instead of a prediction."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supcon.data import decoded_batches
from supcon.evaluation import centre_crop, fitting_batch
from supcon.serving.image_inputs import image_files
from supcon.serving.model import Model

_AT_ONCE = 4096
"""Paths that are taken from the iterable before their images are decoded, by several processes if they are many."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FilePrediction:
    """The prediction of one file, or the reason why there is none."""

    path: Path
    name: str = ""
    """The most likely class; of multi-label data all from 0.5 on, as `a|b`."""
    probabilities: NDArray[np.float32] | None = None
    """[class], in the order of `Model.classes`."""
    error: str | None = None


def predict_files(model: Model, paths: Iterable[str | Path]) -> Iterator[FilePrediction]:
    """The predictions of image files and of all images below folders, in order, as soon as their batch is done."""
    files = _each_file(paths)
    while group := list(islice(files, _AT_ONCE)):
        yield from _predict_group(model, group)


def _each_file(paths: Iterable[str | Path]) -> Iterator[Path]:
    for given in paths:
        path = Path(os.path.expanduser(given))  # a name that cannot be is one row, not the end
        yield from (Path(str(file)) for file in image_files(path)) if os.path.isdir(path) else [path]


def _predict_group(model: Model, files: list[Path]) -> Iterator[FilePrediction]:
    size = model.card.image_size
    for batch in decoded_batches(files, model.card.layout, fitting_batch(size, model.device)):
        probabilities = model.classify(model.encode(centre_crop(batch.images, size))).cpu().numpy()
        names = model.names(probabilities)
        for index, row in enumerate(batch.rows):
            if row in batch.bad:
                yield FilePrediction(path=files[row], error=batch.bad[row])
            else:
                yield FilePrediction(path=files[row], name=names[index], probabilities=probabilities[index])

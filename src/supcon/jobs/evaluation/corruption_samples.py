"""One test image under every corruption, kept for the page while a model is evaluated on all of them."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from supcon.base.stored_arrays import write_arrays
from supcon.jobs.evaluation.corrupted import Batches, CorruptedSet
from supcon.jobs.training_batch import pictures
from supcon.runs import Run


class CorruptionSamples:
    """The first image of every corruption and severity that was read."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, int], Tensor] = {}

    def watching(self, corrupted: CorruptedSet) -> CorruptedSet:
        """The same set; the first image of each corruption and severity is stored when it is read."""

        def batches(name: str, severity: int) -> Batches:
            for images, labels in corrupted.batches(name, severity):
                self.found.setdefault((name, severity), images[0].cpu())
                yield images, labels

        return replace(corrupted, batches=batches)

    def arrays(self, corrupted: CorruptedSet) -> dict[str, NDArray[Any]]:
        shown = [
            [pictures(self.found[name, severity]) for severity in corrupted.severities] for name in corrupted.names
        ]
        return {
            "names": np.array(corrupted.names),
            "severities": np.array(corrupted.severities),
            "pictures": np.array(shown),
        }

    def write(self, run: Run, corrupted: CorruptedSet) -> None:
        write_arrays(run.samples_file, self.arrays(corrupted))

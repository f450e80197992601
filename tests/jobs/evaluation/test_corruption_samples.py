from pathlib import Path

import numpy as np
import torch

from supcon.jobs.evaluation.corrupted import Batches, CorruptedSet
from supcon.jobs.evaluation.corruption_samples import CorruptionSamples
from supcon.runs import Run

NAMES, SEVERITIES = ("fog", "snow"), (1, 3)


def level(name: str, severity: int, batch: int = 0) -> int:
    """A brightness of its own for every set and batch."""
    return 100 * NAMES.index(name) + 10 * severity + batch


def batches(name: str, severity: int) -> Batches:
    for batch in range(3):
        images = torch.full((4, 1, 8, 8), level(name, severity, batch), dtype=torch.uint8)
        images[1:] = 255
        yield images, torch.arange(4)


def made_up() -> CorruptedSet:
    return CorruptedSet(title="made up", names=NAMES, severities=SEVERITIES, images=12, batches=batches)


def read(corrupted: CorruptedSet) -> None:
    for name in corrupted.names:
        for severity in corrupted.severities:
            seen, expected = list(corrupted.batches(name, severity)), list(batches(name, severity))
            for (images, labels), (own, numbers) in zip(seen, expected, strict=True):
                assert torch.equal(images, own)
                assert torch.equal(labels, numbers)


def test_the_first_image_of_every_set_is_kept_and_the_batches_pass_unchanged() -> None:
    samples = CorruptionSamples()
    watched = samples.watching(made_up())
    assert (watched.names, watched.severities) == (NAMES, SEVERITIES)
    read(watched)
    read(watched)  # a second reading replaces nothing
    arrays = samples.arrays(watched)
    assert arrays["names"].tolist() == list(NAMES)
    assert arrays["severities"].tolist() == list(SEVERITIES)
    assert arrays["pictures"].shape == (2, 2, 8, 8, 1)
    for row, name in enumerate(NAMES):
        for column, severity in enumerate(SEVERITIES):
            assert (arrays["pictures"][row, column] == level(name, severity)).all()


def test_a_set_that_is_not_read_keeps_nothing() -> None:
    samples = CorruptionSamples()
    samples.watching(made_up())
    assert samples.found == {}


def test_the_file_holds_the_arrays_without_pickles(tmp_path: Path) -> None:
    samples = CorruptionSamples()
    watched = samples.watching(made_up())
    read(watched)
    run = Run(tmp_path)
    samples.write(run, watched)
    with np.load(run.samples_file, allow_pickle=False) as stored:
        expected = samples.arrays(watched)
        assert set(stored) == set(expected)
        assert all(np.array_equal(stored[name], expected[name]) for name in expected)

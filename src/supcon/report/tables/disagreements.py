"""Test images that one run classifies correctly and another does not."""

from dataclasses import dataclass

import numpy as np

from supcon.report.run_results import Outputs
from supcon.report.tables.pooling import RunGroup

SHOWN = 24


@dataclass(frozen=True, kw_only=True)
class Disagreement:
    """One image, and what both runs say."""

    image: int
    label: int
    right: float
    """Probability that the correct run gives the true class."""

    wrong: int
    """What the other run predicts."""

    wrong_confidence: float


@dataclass(frozen=True, kw_only=True)
class OnlyOne:
    """The images on which only one of two runs is correct, those first on which the other one is surest."""

    winner: str
    loser: str
    total: int
    shown: list[Disagreement]


def disagreements(first: RunGroup, second: RunGroup) -> list[OnlyOne]:
    """The images that only the first run of one group classifies correctly, for both groups."""
    return [_only(first, second), _only(second, first)]


def _only(winner: RunGroup, loser: RunGroup) -> OnlyOne:
    ours, theirs = winner.first.outputs, loser.first.outputs
    images = np.flatnonzero(ours.correct & ~theirs.correct)
    surest = images[np.argsort(-theirs.confidence[images], kind="stable")][:SHOWN]
    return OnlyOne(
        winner=winner.title,
        loser=loser.title,
        total=len(images),
        shown=[_disagreement(int(image), ours, theirs) for image in surest],
    )


def _disagreement(image: int, ours: Outputs, theirs: Outputs) -> Disagreement:
    return Disagreement(
        image=image,
        label=int(ours.labels[image]),
        right=float(ours.confidence[image]),
        wrong=int(theirs.predicted[image]),
        wrong_confidence=float(theirs.confidence[image]),
    )

"""The page of an audit: images whose label looks wrong, hard pairs, near-duplicates, overlapping classes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from supcon.report.pages.run_page import render


@dataclass(frozen=True, kw_only=True)
class SuspectLabel:
    """An image whose label looks wrong."""

    name: str
    split: str
    picture: str
    """A data URI."""
    label: str
    suggested: str
    probability: float
    """Of the suggested class, mean over the estimators."""
    label_probabilities: Mapping[str, float]
    """The probability of the given label, by estimator."""


@dataclass(frozen=True, kw_only=True)
class HardPair:
    """Two images with a large share in the gradient; the fields of several entries have two."""

    names: Sequence[str]
    labels: Sequence[str]
    pictures: Sequence[str]
    similarity: float
    """Of the representations."""
    times_mean: float
    """The share, relative to the mean of all pairs of the kind."""


@dataclass(frozen=True, kw_only=True)
class DuplicatePair:
    """Two images that show the same picture; every field has two entries."""

    names: Sequence[str]
    splits: Sequence[str]
    labels: Sequence[str]
    pictures: Sequence[str]
    similarity: float


@dataclass(frozen=True, kw_only=True)
class AuditPage:
    """What the page shows."""

    run: str
    data: str
    images: int
    doubtful: int
    """Labels that all estimators would replace by the same other class."""
    suspects: Sequence[SuspectLabel]
    hard: Mapping[str, Sequence[HardPair]]
    """Positives and negatives, by heading."""
    duplicates: int
    across: int
    """Pairs of near-duplicates in different splits."""
    pairs: Sequence[DuplicatePair]
    overlaps: Sequence[tuple[str, str, float]]


def build_audit_page(page: AuditPage) -> str:
    """The HTML page of an audit."""
    return render("audit.html", page=page)

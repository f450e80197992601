"""Training images that the page shows: the neighbours of test images, and those with a suspicious label."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float, Int, UInt8


@dataclass(frozen=True, kw_only=True)
class AuditedLabel:
    """A training image on the list of `supcon audit`."""

    name: str
    label: str
    suggested: str
    probability: float
    """Of the suggested label."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Suspects:
    """Training images whose neighbours have another label, the most suspicious first; places in `TrainingImages`."""

    images: Int[np.ndarray, " suspect"]
    nearest: Int[np.ndarray, "suspect neighbour"]
    voted: Int[np.ndarray, " suspect"]
    """The class that most of the neighbours have."""

    share: Float[np.ndarray, " suspect"]
    """Share of the neighbours that have it."""

    own_share: Float[np.ndarray, " suspect"]
    """Share of the neighbours that have the image's own label."""


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainingImages:
    """The training images that are shown, those with a thumbnail first."""

    labels: Int[np.ndarray, " image"]
    names: Sequence[str] = field(default_factory=list)
    """What every image is called within its data."""

    thumbnails: UInt8[np.ndarray, "thumbnail height width channel"]
    """Thumbnails of the first images; the others have none."""

    nearest: Int[np.ndarray, "shown neighbour"]
    """For every thumbnail of the test images, the most similar training images, nearest first."""

    similarity: Float[np.ndarray, "shown neighbour"]
    """Cosine similarity of the representations."""

    suspects: Suspects

    def name(self, image: int) -> str:
        """The file of an image; empty where it comes from an array."""
        name = self.names[image] if len(self.names) else ""
        return "" if name.isdecimal() else name

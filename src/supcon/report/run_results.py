"""The results of a run that its report shows, as plain values and numpy arrays. Imports no torch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float, Int, Real, UInt8

from supcon.report.run_pictures import CorruptedSamples, PairShares, TrainingViews
from supcon.report.training_images import AuditedLabel, TrainingImages


@dataclass(frozen=True, kw_only=True, eq=False)
class Curve:
    """One quantity over training."""

    epochs: Real[np.ndarray, " point"]
    """When it was measured; fractions are within an epoch."""

    values: Real[np.ndarray, " point"]
    """The values; NaN is a gap."""

    def __post_init__(self) -> None:
        if len(self.epochs) != len(self.values):
            raise ValueError(
                f"A curve must have one value per epoch, got {len(self.epochs)} epochs and {len(self.values)} values; "
                "give arrays of equal length."
            )


@dataclass(frozen=True, kw_only=True, eq=False)
class Outputs:
    """The model's outputs for every test image, with thumbnails of some."""

    labels: Int[np.ndarray, " image"] | Int[np.ndarray, "image class"]
    """The true class of every test image; for several labels per image 1, 0 or, if not scored, -1."""

    probabilities: Float[np.ndarray, "image class"]
    """The classifier's probabilities; rows sum to 1 if an image has one class."""

    coordinates: Real[np.ndarray, "mapped 2"]
    """Coordinates of images on the 2-D map."""

    map_index: Int[np.ndarray, " mapped"]
    """The test image of each point of the map."""

    map_method: str = ""
    """The method of the map, for its caption: `t-SNE` or `PCA`."""

    thumbnails: UInt8[np.ndarray, "thumbnail height width channel"]
    """Thumbnails of all test images, or of those on the map and the most confident mistakes."""

    thumbnail_index: Int[np.ndarray, " thumbnail"]
    """The test image of each thumbnail."""

    names: Sequence[str] = ()
    """The name of every test image within its data set; empty in results of older versions."""

    fingerprint: str = ""
    """A hash of the test images and their labels: runs with equal hashes were tested on the same images."""

    def __post_init__(self) -> None:
        images = len(self.labels)
        _check_length("probabilities", len(self.probabilities), "labels", images)
        _check_length("coordinates", len(self.coordinates), "map_index", len(self.map_index))
        _check_length("thumbnails", len(self.thumbnails), "thumbnail_index", len(self.thumbnail_index))
        if not self.multi_label:
            _check_range("labels", self.labels, self.probabilities.shape[1])
        _check_range("map_index", self.map_index, images)
        _check_range("thumbnail_index", self.thumbnail_index, images)

    @classmethod
    def none(cls, classes: int) -> "Outputs":
        """No outputs yet, of a run that still trains."""
        nothing = np.empty(0, dtype=np.int64)
        return cls(
            labels=nothing,
            probabilities=np.empty((0, classes)),
            coordinates=np.empty((0, 2)),
            map_index=nothing,
            thumbnails=np.empty((0, 1, 1, 1), dtype=np.uint8),
            thumbnail_index=nothing,
        )

    @property
    def multi_label(self) -> bool:
        return self.labels.ndim == 2

    def image_name(self, image: int) -> str:
        """The file of a test image, or its number if it comes from an array."""
        name = self.names[image] if len(self.names) else ""
        return f"image {image}" if not name or name.isdecimal() else name

    def examples(self, label: int, predicted: int, limit: int = 3) -> list[str]:
        """Some images of one class that were predicted as another, the most confident first."""
        taken = np.flatnonzero((self.labels == label) & (self.predicted == predicted))
        surest = taken[np.argsort(-self.confidence[taken], kind="stable")][:limit]
        return [self.image_name(image) for image in surest.tolist()]

    @property
    def predicted(self) -> Int[np.ndarray, " image"]:
        """The class with the highest probability."""
        return np.asarray(self.probabilities.argmax(axis=1))

    @property
    def confidence(self) -> Float[np.ndarray, " image"]:
        """The probability of the predicted class."""
        return np.asarray(self.probabilities.max(axis=1))

    @property
    def correct(self) -> np.ndarray:
        """Whether the predicted class is the true one, per image; of several labels, whether all are right."""
        if self.multi_label:
            right = ((self.probabilities >= 0.5) == (self.labels == 1)) | (self.labels < 0)
            return np.asarray(right.all(axis=1))
        return np.asarray(self.predicted == self.labels)


@dataclass(frozen=True, kw_only=True, eq=False)
class RunResults:
    """All results that the report of one run shows."""

    name: str
    """The run's name."""

    recipe: Mapping[str, Any]
    """`recipe.yaml`: nested plain values (method, data, views, encoder, projection, loss, stage1, stage2, seed)."""

    environment: Mapping[str, Any]
    """`environment.json`: versions, commit, hardware, seed, command, start time."""

    data: Mapping[str, Any]
    """The data: name, class_names, counts per split, image_size, channels, mean, std."""

    measures: Mapping[str, float]
    """The metrics of `evaluation.json` by their flat names; accuracies are in 0..1."""

    curves: Mapping[str, Mapping[str, Curve]]
    """Per stage (`stage1`, `stage2`), a curve for every logged metric (`train/loss`, `validation/top1`)."""

    outputs: Outputs

    training: TrainingImages | None = None
    """Training images next to the test images; None for results from before they were kept."""

    audited: Sequence[AuditedLabel] = ()
    """The list of `supcon audit`, the most suspicious first; empty if it has not been run."""

    views: TrainingViews | None = None
    """Views of training images by the run's augmentation."""

    pairs: Mapping[str, PairShares] = field(default_factory=dict)
    """The hardest pairs at the `start` and at the `end` of stage 1; empty for methods without pairs."""

    samples: CorruptedSamples | None = None
    """A test image under the corruptions; None if the run was not evaluated on them."""

    baseline: "RunResults | None" = None
    """The run to show beside this one."""

    path: str = ""
    """The run's folder, for commands to copy."""

    remarks: Mapping[str, str] = field(default_factory=dict)
    """The texts of `evaluation.json`: descriptions of the corrupted set, the baseline and the transfer protocols."""

    def __post_init__(self) -> None:
        named, scored = len(self.class_names), self.outputs.probabilities.shape[1]
        if named != scored:
            raise ValueError(
                f"data.class_names must have one name per class of the probabilities, got {named} and {scored}; "
                "give results and class names of the same run."
            )

    @property
    def class_names(self) -> list[str]:
        return [str(name) for name in self.data["class_names"]]

    @property
    def method(self) -> str:
        return str(self.recipe.get("method", ""))


def _check_length(name: str, length: int, other: str, expected: int) -> None:
    if length != expected:
        raise ValueError(
            f"{name} must have one row for every entry of {other} ({expected}), got {length}; "
            "give arrays of the same evaluation."
        )


def _check_range(name: str, values: np.ndarray, end: int) -> None:
    if len(values) and not (values.min() >= 0 and values.max() < end):
        raise ValueError(
            f"{name} must be between 0 and {end - 1}, got {values.min()} to {values.max()}; "
            "give arrays of the same evaluation."
        )

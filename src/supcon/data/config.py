"""Settings of a run's data."""

from dataclasses import dataclass
from typing import Literal

from supcon.base.errors import RequestError

SamplerName = Literal["plain", "class-balanced", "m-per-class"]
"""How images are drawn into a batch."""

HoldName = Literal["auto", "memory", "cache", "decode"]
"""How images are stored during training."""


@dataclass(frozen=True, kw_only=True)
class DataConfig:
    """Which images a run uses and how they are stored."""

    spec: str = "digits"
    """A name (`supcon datasets`), a folder, a .csv or .parquet manifest, `webdataset:PATTERN` or `hf:NAME`."""

    root: str | None = None
    """Folder of the named data sets; none: `SUPCON_DATA`, or `data` in the cache folder."""

    download: bool = False
    """Download a named data set that is not found on disk."""

    image_size: int | None = None
    """Side of the square input in pixels; none: taken from the data, at most 224."""

    mean: tuple[float, ...] | None = None
    """Channel means (pixels scaled to 0..1) subtracted from inputs; none: computed from the training split."""

    std: tuple[float, ...] | None = None
    """Channel standard deviations (pixels scaled to 0..1) that divide inputs; none: from the training split."""

    validation_fraction: float = 0.1
    """Share of the training images held out for validation, if the data has no validation split."""

    test_fraction: float = 0.2
    """Share of all images held out for testing, if the data has no test split."""

    memory_limit: float | None = None
    """Gigabytes that the decoded images may take in memory; none: half of the available memory."""

    hold: HoldName = "auto"
    """`memory`: decoded in memory; `cache`: decoded, in a file; `decode`: at every use; `auto`: the first that fits."""

    skip_bad_images: bool = False
    """Leave out images that cannot be read, instead of stopping before training."""

    outside: bool = False
    """Let a manifest list images that are outside of its folder."""

    fraction: float | None = None
    """Share of each class's training images to use; none: all."""

    per_class: int | None = None
    """At most this many training images per class; none: all."""

    imbalance_factor: float | None = None
    """Training images of the first class divided by those of the last, exponential in between; none: keep all."""

    label_noise: float = 0.0
    """Share of the training labels replaced by a random other class (symmetric noise)."""

    def __post_init__(self) -> None:
        if not self.spec:
            raise RequestError("data.spec is empty; give the name of a data set or a folder of images.")
        self._check_reduction()
        if self.image_size is not None and self.image_size < 4:
            raise RequestError(f"data.image_size must be at least 4 pixels, got {self.image_size}.")
        for name in ("validation_fraction", "test_fraction"):
            value = getattr(self, name)
            if not 0 < value < 1:
                raise RequestError(f"data.{name} must be between 0 and 1, got {value}.")
        if self.mean is not None and not all(0 <= value <= 1 for value in self.mean):
            raise RequestError(f"data.mean must be between 0 and 1 (pixels scaled to 0..1), got {self.mean}.")
        if self.std is not None and not all(0 < value <= 1 for value in self.std):
            raise RequestError(f"data.std must be above 0 and at most 1 (pixels scaled to 0..1), got {self.std}.")
        if self.memory_limit is not None and not self.memory_limit > 0:
            raise RequestError(f"data.memory_limit must be above 0 gigabytes, got {self.memory_limit}.")

    def _check_reduction(self) -> None:
        if self.fraction is not None and not 0 < self.fraction <= 1:
            raise RequestError(f"data.fraction must be above 0 and at most 1, got {self.fraction}.")
        if self.per_class is not None and self.per_class < 1:
            raise RequestError(f"data.per_class must be at least 1, got {self.per_class}.")
        if self.imbalance_factor is not None and not self.imbalance_factor >= 1:
            raise RequestError(f"data.imbalance_factor must be at least 1, got {self.imbalance_factor}.")
        if not 0 <= self.label_noise < 1:
            raise RequestError(f"data.label_noise must be at least 0 and below 1, got {self.label_noise}.")

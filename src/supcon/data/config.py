"""Where a run's images come from, as values."""

from dataclasses import dataclass
from typing import Literal

from supcon.base.errors import RequestError

SamplerName = Literal["plain", "class-balanced", "m-per-class"]
"""Which images come together in a step."""

HoldName = Literal["auto", "memory", "cache", "decode"]
"""How images are held."""


@dataclass(frozen=True, kw_only=True)
class DataConfig:
    """Which images a run uses and how they are held."""

    spec: str = "digits"
    """A name (`supcon datasets`), a folder, a .csv or .parquet manifest, `webdataset:PATTERN` or `hf:NAME`."""

    root: str | None = None
    """Where named sets are; none: `SUPCON_DATA`, or `data` in the cache."""

    download: bool = False
    """Fetch a named set that is not there."""

    image_size: int | None = None
    """Side of the square input in pixels; none: taken from the data, at most 224."""

    mean: tuple[float, ...] | None = None
    """Channel means in 0..1 that inputs are centred with; none: computed from the training split."""

    std: tuple[float, ...] | None = None
    """Channel standard deviations in 0..1 that inputs are divided by; none: computed from the training split."""

    validation_fraction: float = 0.1
    """Share of the training images held out for choosing things, where the data has no validation split of its own."""

    test_fraction: float = 0.2
    """Share of all images held out for the final figures, where the data has no test split of its own."""

    memory_limit: float | None = None
    """Gigabytes that the decoded images may take; none: half of what is available."""

    hold: HoldName = "auto"
    """All in `memory`, in a `cache` of decoded images on disk, or `decode` as they come; auto: the first that fits."""

    skip_bad_images: bool = False
    """Leave out images that cannot be read, instead of stopping before training."""

    fraction: float | None = None
    """Share of the training images of every class that is used; none: all."""

    per_class: int | None = None
    """Training images of every class that are used, at most; none: all."""

    imbalance_factor: float | None = None
    """How many times more training images the first class keeps than the last, exponentially between; none: all."""

    label_noise: float = 0.0
    """Share of the training labels that are replaced by another class, drawn evenly."""

    def __post_init__(self) -> None:
        if not self.spec:
            raise RequestError("data.spec is empty; give the name of a data set or a folder of images.")
        self._check_reduction()
        if self.image_size is not None and self.image_size < 4:
            raise RequestError(f"data.image_size must be at least 4 pixels, got {self.image_size}.")
        for name in ("validation_fraction", "test_fraction"):
            value = getattr(self, name)
            if not 0 < value < 1:
                raise RequestError(f"data.{name} must lie between 0 and 1, got {value}.")
        if self.mean is not None and not all(0 <= value <= 1 for value in self.mean):
            raise RequestError(f"data.mean must lie between 0 and 1, of pixels scaled to 0..1, got {self.mean}.")
        if self.std is not None and not all(0 < value <= 1 for value in self.std):
            raise RequestError(f"data.std must be above 0 and at most 1, of pixels scaled to 0..1, got {self.std}.")
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

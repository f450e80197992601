"""Where a run's images come from, as values."""

from dataclasses import dataclass
from typing import Literal

from supcon.errors import RequestError

SamplerName = Literal["plain", "class-balanced", "m-per-class"]
"""Which images come together in a step."""


@dataclass(frozen=True, kw_only=True)
class DataConfig:
    """Which images a run uses and how they are held."""

    spec: str = "digits"
    """A name (`supcon datasets` lists them) or a folder of images."""

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

    def __post_init__(self) -> None:
        if not self.spec:
            raise RequestError("data.spec is empty; give the name of a data set or a folder of images.")
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

"""The data sets that have a name. Free of torch, so that `supcon datasets` answers at once."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class NamedData:
    """What a person wants to know of a data set before using it."""

    name: str
    classes: int
    images: int
    image_size: str
    about: str


CATALOGUE = (
    NamedData(
        name="digits",
        classes=10,
        images=1797,
        image_size="8x8 grey",
        about="handwritten digits inside scikit-learn; fixed split of 1,257 / 180 / 360; needs no download",
    ),
)
NAMES = tuple(entry.name for entry in CATALOGUE)

"""The operations of AutoAugment and RandAugment, and their strengths at each level."""

from typing import Literal, NamedTuple, get_args

from supcon.views.config import OperationSet

OperationName = Literal[
    "shear-x",
    "shear-y",
    "translate-x",
    "translate-y",
    "rotate",
    "brightness",
    "contrast",
    "colour",
    "sharpness",
    "posterize",
    "solarize",
    "solarize-add",
    "autocontrast",
    "equalize",
    "invert",
    "cutout",
    "identity",
]
NAMES: tuple[OperationName, ...] = get_args(OperationName)
"""Operations by index; those with the same kind of computation are adjacent."""


FILLS: dict[OperationSet, int] = {"authors": 128, "torchvision": 0}
"""Fill value of cutouts; in torchvision's set also of pixels from outside of the image (mirrored in the TF models)."""

AUTHORS_CONTRAST_GREY = 224 * 224 // 256
"""The grey level that contrast blends with in the TF models: the number of pixels / 256, 196 for 224 x 224 pixels.

They compute the mean count of the histogram's bins instead of the mean pixel. Here it is 196 for every size.
"""


class Operation(NamedTuple):
    """An operation at a fixed level: its strength is `centre`, plus or minus `spread` with equal probability.

    Units: tangents for shears, fractions of the side for translations, degrees for rotations; factors for brightness,
    contrast, colour and sharpness; the number of bits that posterize keeps; the value from which solarize inverts, and
    that solarize-add adds, in 0 to 255; half of the side of a cutout as a fraction of the image's side.
    """

    name: OperationName
    centre: float = 0.0
    spread: float = 0.0


def authors_operation(name: OperationName, level: float, translation: float) -> Operation:
    """An operation of the TF models (tf-models-official 2.20.0) at a level between 0 and 10.

    The TF models define translations and cutouts in pixels of a 224 pixel image; here they are fractions of the side,
    so that they scale with the image. As in the TF models, posterize and solarize are weaker at higher levels, and at
    level 10 solarize's threshold of 256 overflows to 0 as a byte, which inverts the whole image.
    """
    share = level / 10
    if name in ("brightness", "contrast", "colour", "sharpness"):
        return Operation(name, centre=1.8 * share + 0.1)
    turned = {"shear-x": 0.3, "shear-y": 0.3, "translate-x": translation, "translate-y": translation, "rotate": 30.0}
    if name in turned:
        return Operation(name, spread=turned[name] * share)
    # TensorFlow shifts by at most seven bits, so that one bit remains even at level 0.
    fixed = {"posterize": max(1, int(4 * share)), "solarize": int(256 * share) % 256, "solarize-add": int(110 * share)}
    return Operation(name, centre=40 / 224 * share if name == "cutout" else fixed.get(name, 0.0))


def torchvision_operation(name: OperationName, share: float) -> Operation:
    """An operation of torchvision (0.29) at a fraction between 0 and 1 of its largest magnitude."""
    spreads = {"shear-x": 0.3, "shear-y": 0.3, "translate-x": 150 / 331, "translate-y": 150 / 331, "rotate": 30.0}
    if name in spreads:
        return Operation(name, spread=spreads[name] * share)
    if name in ("brightness", "contrast", "colour", "sharpness"):
        return Operation(name, centre=1.0, spread=0.9 * share)
    fixed = {"posterize": 8 - round(4 * share), "solarize": 255 * (1 - share)}
    return Operation(name, centre=fixed.get(name, 0.0))


def describe_operation(name: OperationName, strength: float) -> str:
    """Name and strength of the operation, as text."""
    if name.startswith(("translate", "cutout")):
        return f"{name} {100 * strength:.0f} %"
    if name in ("brightness", "contrast", "colour", "sharpness"):
        return f"{name} x {strength:.2f}"
    units = {"rotate": f"{strength:+.0f}°", "posterize": f"{strength:.0f} bits", "solarize": f"from {strength:.0f}"}
    units |= {"shear-x": f"{strength:+.2f}", "shear-y": f"{strength:+.2f}", "solarize-add": f"+{strength:.0f}"}
    return f"{name} {units[name]}" if name in units else name

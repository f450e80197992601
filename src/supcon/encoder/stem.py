"""Which first layers a resnet gets; free of torch."""

from supcon.encoder.config import RESNETS, Stem

LARGEST_SMALL_INPUT = 40
"""Pixels up to which `auto` takes the small stem. It keeps full resolution, so that every later layer works on 16 times
the positions: on images of 64 pixels that took four times as long as images of 96 take with the other stem."""


def resolve_stem(encoder: str, stem: Stem, image_size: int) -> Stem:
    """The stem that `auto` means for images of this size; what has no choice of stems stays `auto`.

    >>> resolve_stem("resnet18", "auto", 32), resolve_stem("resnet18", "auto", 64)
    ('small', 'imagenet')
    """
    if stem != "auto" or encoder not in RESNETS:
        return stem
    return "small" if image_size <= LARGEST_SMALL_INPUT else "imagenet"

"""Chooses the stem of a resnet; does not import torch."""

from supcon.encoder.config import RESNETS, Stem

LARGEST_SMALL_INPUT = 40
"""Largest image side for which `auto` is the small stem. It keeps the full resolution, so every later layer has 16
times as many positions: images of 64 pixels took four times as long as images of 96 with the imagenet stem."""


def resolve_stem(encoder: str, stem: Stem, image_size: int) -> Stem:
    """The stem that `auto` means for images of this size; encoders without a choice keep `auto`.

    >>> resolve_stem("resnet18", "auto", 32), resolve_stem("resnet18", "auto", 64)
    ('small', 'imagenet')
    """
    if stem != "auto" or encoder not in RESNETS:
        return stem
    return "small" if image_size <= LARGEST_SMALL_INPUT else "imagenet"

"""Chooses a recipe for data that has no recipe of its name."""

from typing import NamedTuple

SMALLEST_SIDE = 64
"""Smallest image side, in pixels, for an encoder that was pretrained on photographs of 224 pixels."""
MOST_IMAGES = 50_000
"""From this many training images on, an encoder is trained from scratch; fine-tuning would take hours on a CPU."""


class Choice(NamedTuple):
    """A recipe's name, and a sentence with the reason and the option for another choice."""

    recipe: str
    reason: str


def choose_recipe(images: int, side: int) -> Choice:
    """`photos` for fewer than 50,000 images of at least 64 pixels, otherwise `folder`.

    >>> choose_recipe(245, 224).recipe, choose_recipe(245, 32).recipe
    ('photos', 'folder')
    """
    what = f"{images:,} training images of {side} pixels"
    if side < SMALLEST_SIDE:
        why = f"{what} are too small for the pretrained encoder of photos (it needs at least {SMALLEST_SIDE} pixels)"
    elif images >= MOST_IMAGES:
        why = f"{what} are enough to train from scratch ({MOST_IMAGES:,} or more)"
    else:
        return Choice(
            "photos",
            f"Recipe photos: {what} are few, so an encoder with ImageNet weights is fine-tuned; --recipe folder "
            "trains one from scratch.",
        )
    return Choice("folder", f"Recipe folder: {why}; --recipe photos fine-tunes a pretrained encoder.")

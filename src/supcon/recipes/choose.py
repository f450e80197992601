"""Which recipe fits images that no recipe bears the name of."""

from typing import NamedTuple

SMALLEST_SIDE = 64
"""Pixels below which an encoder that knows photographs of 224 pixels has little to go by."""
MOST_IMAGES = 50_000
"""Training images from which on an encoder learns well from scratch, and fine-tuning one takes hours on a CPU."""


class Choice(NamedTuple):
    """A recipe's name, and a sentence that says why and how to choose otherwise."""

    recipe: str
    reason: str


def choose_recipe(images: int, side: int) -> Choice:
    """`photos` for a usual number of photographs, `folder` for the rest.

    >>> choose_recipe(245, 224).recipe, choose_recipe(245, 32).recipe
    ('photos', 'folder')
    """
    what = f"{images:,} training images of {side} pixels"
    if side < SMALLEST_SIDE:
        why = f"{what} are too small for the pretrained encoder of photos (from {SMALLEST_SIDE} pixels on)"
    elif images >= MOST_IMAGES:
        why = f"{what} are enough to learn from scratch ({MOST_IMAGES:,} or more)"
    else:
        return Choice(
            "photos",
            f"Recipe photos: {what} are few, so an encoder with ImageNet's weights is fine-tuned; --recipe folder "
            "trains one from scratch.",
        )
    return Choice("folder", f"Recipe folder: {why}; --recipe photos fine-tunes a pretrained encoder.")

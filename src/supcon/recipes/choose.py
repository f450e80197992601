"""Chooses a recipe for data that has no recipe of its name."""

from typing import NamedTuple

SMALLEST_SIDE = 64
"""Smallest image side, in pixels, for an encoder that was pretrained on photographs of 224 pixels."""
SMALLEST_ENLARGED_SIDE = 16
"""Smallest side that `small-photos` enlarges to 96 pixels; smaller images, such as digits, show too little."""
MOST_IMAGES = 50_000
"""From this many training images on, an encoder is trained from scratch; fine-tuning would take hours on a CPU."""
MOST_SMALL_IMAGES = 10_000
"""The same for images that are enlarged: 2,500 steps, 20 minutes of one core's time (reproduction/first_try.md)."""


class Choice(NamedTuple):
    """A recipe's name, and a sentence with the reason and the option for another choice."""

    recipe: str
    reason: str


def choose_recipe(images: int, side: int, *, on_gpu: bool = False, scratch: str = "folder") -> Choice:
    """The recipe for a number of training images with this side, in pixels.

    Few images fine-tune a pretrained encoder: `photos`, or `small-photos` for 16 to 63 pixels. Otherwise an encoder is
    trained from scratch: a small one for small images on a CPU, `folder-small`, or ResNet-18, `folder`. Data with
    recipes of their own give the name of theirs as `scratch`.

    >>> choose_recipe(245, 224).recipe, choose_recipe(245, 32).recipe
    ('photos', 'small-photos')
    >>> choose_recipe(45_000, 32).recipe, choose_recipe(45_000, 32, on_gpu=True).recipe
    ('folder-small', 'folder')
    >>> choose_recipe(54_000, 28, scratch="fashion-mnist").recipe
    'fashion-mnist-small'
    """
    what = f"{images:,} training images of {side} pixels"
    if side >= SMALLEST_SIDE:
        return _of_usual_size(images, what, scratch)
    if side >= SMALLEST_ENLARGED_SIDE and images < MOST_SMALL_IMAGES:
        name = scratch if on_gpu else f"{scratch}-small"
        reason = "are few, so an encoder with ImageNet weights is fine-tuned on them, enlarged to 96 pixels; --recipe "
        return Choice("small-photos", f"Recipe small-photos: {what} {reason}{name} trains one from scratch.")
    if side >= SMALLEST_ENLARGED_SIDE:
        why = f"are enough to train from scratch ({MOST_SMALL_IMAGES:,} or more)"
        other = "--recipe small-photos fine-tunes a pretrained encoder"
    else:
        why = f"are too small for a pretrained encoder (it needs at least {SMALLEST_ENLARGED_SIDE} pixels)"
        other = ""
    return _small_from_scratch(what, why, other, scratch, on_gpu=on_gpu)


def _of_usual_size(images: int, what: str, scratch: str) -> Choice:
    if images < MOST_IMAGES:
        return Choice(
            "photos",
            f"Recipe photos: {what} are few, so an encoder with ImageNet weights is fine-tuned; --recipe "
            f"{scratch} trains one from scratch.",
        )
    return Choice(
        scratch,
        f"Recipe {scratch}: {what} are enough to train from scratch ({MOST_IMAGES:,} or more); --recipe photos "
        "fine-tunes a pretrained encoder.",
    )


def _small_from_scratch(what: str, why: str, other: str, scratch: str, *, on_gpu: bool) -> Choice:
    """`other` is the option for a pretrained encoder, if there is one for these images."""
    if on_gpu:
        other = other or f"--recipe {scratch}-small trains a small one"
        return Choice(scratch, f"Recipe {scratch}: {what} {why}; {other}.")
    larger = f"--recipe {scratch} trains a ResNet-18, which takes far longer"
    options = ", ".join(text for text in (larger, other) if text)
    return Choice(
        f"{scratch}-small", f"Recipe {scratch}-small: {what} {why}, and on a CPU a small network is trained; {options}."
    )

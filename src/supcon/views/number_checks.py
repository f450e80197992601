"""Checks of numbers and choices, with one-sentence errors; does not import torch."""

import math

from supcon.base.errors import RequestError

_MOST_CELLS = 5_000
"""Images and views of one contact sheet, which is drawn in memory."""


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Raises an error if `value` is not one of `choices`."""
    if value not in choices:
        raise RequestError(f"{name} must be one of {', '.join(choices)}, got {value!r}; choose one of them.")


def check_at_least_one(name: str, value: int) -> None:
    """Raises an error if `value` is below 1."""
    if value < 1:
        raise RequestError(f"{name} must be at least 1, got {value}; give a positive whole number.")


def check_sheet(images: int, views: int) -> None:
    """Raises an error if a contact sheet of so many images, with so many views of each, is too large."""
    if images * (views + 1) > _MOST_CELLS:
        raise RequestError(
            f"--images and --count must give at most {_MOST_CELLS:,} pictures, got {images:,} images with {views:,} "
            "views each; give smaller numbers."
        )


def check_range(name: str, value: tuple[float, float], largest: float = math.inf) -> None:
    """Raises an error unless 0 < first <= second <= `largest`."""
    if not 0 < value[0] <= value[1] <= largest:
        limit = "" if largest == math.inf else f" ≤ {largest:g}"
        raise RequestError(f"{name} must be two numbers with 0 < first ≤ second{limit}, got {value}; give such a pair.")


def check_within(name: str, value: float, largest: float = math.inf) -> None:
    """Raises an error if `value` is negative, above `largest`, NaN or infinite."""
    if not 0 <= value <= largest or math.isinf(value):
        expected = "finite and at least 0" if largest == math.inf else f"between 0 and {largest:g}"
        raise RequestError(f"{name} must be {expected}, got {value}; give a number in that range.")


def check_positive(name: str, value: float) -> None:
    """Raises an error unless `value` is positive and finite."""
    if not 0 < value < math.inf:
        raise RequestError(f"{name} must be above 0, got {value}; give a positive number.")

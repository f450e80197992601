"""Numbers that make no sense, refused in one sentence; free of torch."""

import math

from supcon.base.errors import RequestError


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """A choice must be one of those there are."""
    if value not in choices:
        raise RequestError(f"{name} must be one of {', '.join(choices)}, got {value!r}; choose one of them.")


def check_at_least_one(name: str, value: int) -> None:
    """A count must not be zero."""
    if value < 1:
        raise RequestError(f"{name} must be at least 1, got {value}; give a positive whole number.")


def check_range(name: str, value: tuple[float, float], largest: float = math.inf) -> None:
    """A range goes from a positive number up."""
    if not 0 < value[0] <= value[1] <= largest:
        limit = "" if largest == math.inf else f" ≤ {largest:g}"
        raise RequestError(f"{name} must be two numbers with 0 < first ≤ second{limit}, got {value}; give such a pair.")


def check_within(name: str, value: float, largest: float = math.inf) -> None:
    """A number must not be negative, nor above its limit."""
    if not 0 <= value <= largest or math.isinf(value):
        expected = "finite and at least 0" if largest == math.inf else f"between 0 and {largest:g}"
        raise RequestError(f"{name} must be {expected}, got {value}; give a number in that range.")


def check_positive(name: str, value: float) -> None:
    """A number must be above zero."""
    if not 0 < value < math.inf:
        raise RequestError(f"{name} must be above 0, got {value}; give a positive number.")

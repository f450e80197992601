"""Refuses options of `supcon evaluate` that have no effect on the images that `--on` chooses."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from supcon.base.errors import RequestError

EvaluatedOn = Literal["own test images", "computed corruptions", "published corruptions", "other data"]
"""The images that a run is evaluated on."""


@dataclass(frozen=True, kw_only=True)
class _Use:
    """The images that some options have an effect on."""

    options: tuple[str, ...]
    on: tuple[EvaluatedOn, ...]
    what: str
    advice: str


_CORRUPTED: tuple[EvaluatedOn, ...] = ("computed corruptions", "published corruptions")
_ADD_CORRUPTIONS = "add --on corruptions, or --on with a folder of ImageNet-C or CIFAR-10-C"
_USES = (
    _Use(options=("--baseline",), on=_CORRUPTED, what="corruption errors", advice=_ADD_CORRUPTIONS),
    _Use(options=("--corruptions", "--severities"), on=_CORRUPTED, what="corrupted images", advice=_ADD_CORRUPTIONS),
    _Use(
        options=("--seed", "--frost"),
        on=("computed corruptions",),
        what="corruptions that supcon computes",
        advice="give --on corruptions, or leave it out",
    ),
    _Use(
        options=("--k", "--knn-temperature"),
        on=("own test images",),
        what="the run's own test images",
        advice="leave out either it or --on",
    ),
    _Use(
        options=("--data-root",),
        on=("other data",),
        what="other data",
        advice="name the data set with --on, or leave it out: a run knows where its own images are",
    ),
)


def refuse_unused(on: EvaluatedOn, changed: Collection[str]) -> None:
    """Raises an error if one of the options whose values were changed has no effect.

    >>> refuse_unused("computed corruptions", ["--seed"])
    """
    for use in _USES:
        for option in use.options:
            if option in changed and on not in use.on:
                raise RequestError(f"{option} is for {use.what} only; {use.advice}.")

"""Settings of the contrastive loss; does not import torch."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from numbers import Integral, Real
from typing import Literal

Summation = Literal["out", "in"]
"""The sum over positives: outside of the logarithm (Eq. 2) or inside (Eq. 3)."""

Denominator = Literal["all", "one_positive", "negatives"]
"""The rows in the denominator for anchor i and positive p: A(i), {p} and N(i), or only N(i)."""

Anchors = Literal["all", "first_view"]
"""The rows that are anchors: all, or the first view of every image."""

Rescale = Literal["none", "temperature"] | float
"""Factor of the loss: 1, the temperature, or the temperature divided by a base temperature."""


@dataclass(frozen=True, kw_only=True)
class LossConfig:
    """The options of the contrastive loss; the method chooses between Eq. 1, 2 and 3."""

    temperature: float = 0.1
    """tau; 0.1 is best in the paper (Fig. 4d)."""

    denominator: Denominator = "all"
    """Rows in the denominator: "all" other rows (the paper), "one_positive" and the negatives, or "negatives" only."""

    max_positives: int | None = None
    """Maximum number of positives per anchor, including its own other views (Table 5); None: no limit."""

    anchors: Anchors = "all"
    """The anchors: "all" rows, or the "first_view" of each image, contrasted with all rows (the authors'
    contrast_mode ONE_VIEW, or "one")."""

    rescale: Rescale = "temperature"
    """Multiply the loss by the "temperature" (the paper), by temperature / this number, or by nothing ("none")."""

    queue_size: int = 0
    """Size of the queue of past rows, made by a momentum encoder, as further positives and negatives (paper: 8192); 0:
    no queue."""

    queue_momentum: float = 0.999
    """Momentum of the encoder that fills the queue: the weight of its old parameters at each update (MoCo: 0.999)."""

    def __post_init__(self) -> None:
        check_temperature(self.temperature)
        check_denominator(self.denominator)
        check_max_positives(self.max_positives)
        check_rescale(self.rescale)
        check_choice("anchors", self.anchors, ("all", "first_view"))
        if self.queue_size < 0:
            raise ValueError(f"loss.queue_size must be 0 (no queue) or more, got {self.queue_size}.")
        if not 0 <= self.queue_momentum < 1:
            raise ValueError(f"loss.queue_momentum must be at least 0 and below 1, got {self.queue_momentum}.")

    @property
    def factor(self) -> float:
        """The factor of the loss that `rescale` means.

        >>> LossConfig(temperature=0.1, rescale="temperature").factor
        0.1
        """
        if self.rescale == "none":
            return 1.0
        return self.temperature if self.rescale == "temperature" else self.temperature / float(self.rescale)


def check_temperature(temperature: float) -> None:
    """Raises an error unless the temperature is a finite number above 0."""
    if not _is_positive_number(temperature):
        raise ValueError(f"temperature must be a number above 0, got {temperature!r}; the paper's best is 0.1.")


def check_summation(summation: str) -> None:
    """Raises an error for an unknown `summation`."""
    check_choice("summation", summation, ("out", "in"))


def check_denominator(denominator: str) -> None:
    """Raises an error for an unknown `denominator`."""
    check_choice("denominator", denominator, ("all", "one_positive", "negatives"))


def check_max_positives(max_positives: int | None) -> None:
    """Raises an error unless the maximum is None or an integer of at least 1."""
    if max_positives is None:
        return
    if not _is_number(max_positives, Integral) or max_positives < 1:
        raise ValueError(f"max_positives must be a whole number from 1 up, or None for no cap, got {max_positives!r}.")


def check_rescale(rescale: Rescale) -> None:
    """Raises an error unless `rescale` is a known name or a base temperature above 0."""
    if rescale not in ("none", "temperature") and not _is_positive_number(rescale):
        raise ValueError(
            f'rescale must be "none", "temperature" or a base temperature above 0 such as 0.07, got {rescale!r}.'
        )


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Raises an error if a value is not one of the choices."""
    if value not in choices:
        expected = ", ".join(f'"{choice}"' for choice in choices)
        raise ValueError(f"{name} must be one of {expected}, got {value!r}.")


def _is_positive_number(value: object) -> bool:
    return _is_number(value, Real) and isfinite(value) and value > 0  # type: ignore[arg-type,operator]


def _is_number(value: object, kind: type) -> bool:
    """True also for numpy's numbers; False for a bool."""
    return isinstance(value, kind) and not isinstance(value, bool)


_QUEUE = "rows besides the batch are given as queue here, a MemoryQueue that holds projections and their labels"

_ELSEWHERE = {
    "base_temperature": "it is rescale here: rescale=0.07 multiplies the loss by temperature / 0.07, "
    'rescale="temperature" by the temperature',
    "contrast_mode": 'it is anchors here: anchors="first_view" for contrast_mode="one", anchors="all" for "all"',
    "mask": "it is pair_weights here: a [row, row] tensor of how much row p is a positive of anchor i, over the rows "
    "of projections.flatten(0, 1)",
    "features": "it is projections here",
    "embeddings": "it is projections here",
    "n_views": "it is the second axis of projections here, whose shape is [batch, view, dim]",
    "ref_emb": _QUEUE,
    "ref_labels": _QUEUE,
    "indices_tuple": "there are no miners here, because the loss is that of all pairs and its gradient weighs hard "
    "ones by itself; pair_weights, a [row, row] tensor, chooses or weighs pairs",
}
"""Names of options in other packages, and what they are here."""


def refuse_unknown(function: str, options: Mapping[str, object]) -> None:
    """Raises an error for options that do not exist; for those of other packages, it says what they are here."""
    for name in options:
        hint = f": {_ELSEWHERE[name]}" if name in _ELSEWHERE else ""
        raise TypeError(f"{function} has no option {name}{hint}.")

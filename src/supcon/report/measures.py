"""What the measures of an evaluation are called, which way is better, and how their values are written."""

import math
from dataclasses import dataclass
from typing import Literal

Better = Literal["higher", "lower", ""]
Kind = Literal["share", "seconds", "count", "number"]

TITLES = {
    "top1": "accuracy",
    "top5": "top-5 accuracy",
    "knn_top1": "k-NN accuracy",
    "mean_per_class": "mean accuracy of classes",
    "ece": "calibration error",
    "nll": "negative log-likelihood",
    "stage1": "time of stage 1",
    "stage2": "time of stage 2",
    "encoder": "encoder parameters",
    "left_out": "unreadable images left out",
}
PLAIN = ("seconds", "parameters", "images")
"""Families whose name the titles of their measures need not repeat."""


@dataclass(frozen=True, kw_only=True)
class Measure:
    """One name of `evaluation.json`, for people."""

    name: str
    title: str
    kind: Kind
    better: Better

    def text(self, value: float) -> str:
        """The value as it is shown."""
        return format_value(value, self.kind)

    def spread(self, deviation: float) -> str:
        """A standard deviation as it is shown beside its mean, whose unit it shares."""
        if self.kind == "share":
            return f"{100 * deviation:.2f}"
        return f"{deviation:.2g}" if self.kind == "number" else format_value(deviation, self.kind)


def describe(name: str) -> Measure:
    r"""What is known of a measure by its name; names that no one foresaw keep their name as the title.

    >>> describe("test/top1").text(0.99444)
    '99.44\xa0%'
    """
    kind = _kind(name)
    return Measure(name=name, title=_title(name), kind=kind, better=_better(name, kind))


def _title(name: str) -> str:
    family, _, last = name.rpartition("/")
    if last not in TITLES:
        return name
    words = TITLES[last] if family in PLAIN else f"{family} {TITLES[last]}"
    return sentence_case(words)


def sentence_case(words: str) -> str:
    """The words with a capital at the beginning, but for the k of k-NN.

    >>> sentence_case("top-5 accuracy"), sentence_case("k-NN accuracy")
    ('Top-5 accuracy', 'k-NN accuracy')
    """
    return words if words.startswith("k-NN") else words[:1].upper() + words[1:]


def _kind(name: str) -> Kind:
    family, last = name.split("/")[0], name.split("/")[-1]
    if family == "seconds":
        return "seconds"
    if family in ("parameters", "images"):
        return "count"
    if last.endswith(("top1", "top5", "accuracy", "mean_per_class", "ece")):
        return "share"
    return "number"


def _better(name: str, kind: Kind) -> Better:
    last = name.split("/")[-1]
    if kind == "seconds" or last.endswith(("ece", "nll", "loss", "error")):
        return "lower"
    return "higher" if kind == "share" else ""


def format_value(value: float, kind: Kind) -> str:
    """A value with its unit; what is not a number is said to be none."""
    if math.isnan(value):
        return "not available"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if kind == "share":
        return percent(value, 2)
    if kind == "seconds":
        return duration(value)
    return f"{value:,.0f}" if kind == "count" else f"{value:#.4g}".rstrip(".").replace("-", "−")


def percent(share: float, digits: int = 1) -> str:
    r"""A share of 0..1 in per cent, with a space that does not break.

    >>> percent(0.0561)
    '5.6\xa0%'
    """
    return f"{100 * share:.{digits}f}\N{NO-BREAK SPACE}%" if math.isfinite(share) else "not available"


def points(difference: float) -> str:
    """A difference of two shares in percentage points, with its sign.

    >>> points(-0.0123)
    '−1.2'
    """
    text = f"{100 * difference:+.1f}".replace("-", "−")
    return "0.0" if text in ("+0.0", "−0.0") else text


def duration(seconds: float) -> str:
    """Seconds in the units people use.

    >>> duration(83), duration(7.25), duration(7384)
    ('1 min 23 s', '7.2 s', '2 h 3 min')
    """
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"

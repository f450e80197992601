"""Titles of the metrics, whether higher or lower is better, and the formatting of their values."""

import math
import re
from dataclasses import dataclass
from typing import Literal

Better = Literal["higher", "lower", ""]
MeasureKind = Literal["share", "seconds", "count", "number"]

TITLES = {
    "top1": "accuracy",
    "top5": "top-5 accuracy",
    "knn_top1": "k-NN accuracy",
    "logistic_regression_top1": "logistic regression",
    "prototype_top1": "prototype accuracy",
    "accuracy": "accuracy",
    "mean_per_class": "mean per-class accuracy",
    "map": "mean average precision",
    "knn_map": "k-NN mean average precision",
    "ap": "average precision",
    "map_11_point": "mean average precision, 11 points",
    "ece": "calibration error",
    "adaptive_ece": "adaptive calibration error",
    "nll": "negative log-likelihood",
    "brier": "Brier score",
    "map_at_r": "mean average precision at R",
    "alignment": "alignment",
    "uniformity": "uniformity",
    "class_separation": "class separation",
    "temperature": "temperature for scaling",
    "mean_top1": "mean accuracy",
    "mean_ece": "mean calibration error",
    "ece_increase": "increase of the calibration error from clean images to severity 5",
    "ce": "corruption error",
    "mce": "mean corruption error",
    "relative_mce": "relative mean corruption error",
    "stage1": "time of stage 1",
    "stage2": "time of stage 2",
    "encoder": "encoder parameters",
    "left_out": "unreadable images left out",
    "positives_hard_to_easy": "gradient ratio of hard to easy positives",
    "negatives_hard_to_easy": "gradient ratio of hard to easy negatives",
}
PLAIN = ("seconds", "parameters", "corruptions", "images", "gradients")
"""Families whose name is not part of the titles of their metrics."""
PROTOCOLS = {"fine_tune": "fine-tuned", "linear": "linear classifier"}
_PLACES = {"test": 0, "validation": 2, "seconds": 3, "parameters": 4, "images": 5}
"""The order of families in tables; all others come after the test images."""
INTERVAL_ENDS = ("_low", "_high")
SHARES = (
    "top1",
    "top5",
    "accuracy",
    "mean_per_class",
    "ece",
    "map",
    "knn_map",
    "ap",
    "map_11_point",
    "map_at_r",
    "ece_increase",
    "ce",
    "mce",
)


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A name of `evaluation.json` with its title and format."""

    name: str
    title: str
    kind: MeasureKind
    better: Better

    def text(self, value: float) -> str:
        """The formatted value."""
        return format_value(value, self.kind)

    def spread(self, deviation: float) -> str:
        """A formatted standard deviation, to be shown after its mean, without the unit."""
        if self.kind == "share":
            return f"{100 * deviation:.2f}"
        return f"{deviation:.2g}" if self.kind == "number" else format_value(deviation, self.kind)


def describe(name: str) -> Measure:
    r"""Title, format and direction of a metric; the title of an unknown metric is its name.

    >>> describe("test/top1").text(0.99444)
    '99.44\xa0%'
    """
    kind = _kind(name)
    return Measure(name=name, title=_title(name), kind=kind, better=_better(name, kind))


def is_headline(name: str) -> bool:
    """Whether a metric has its own row: ends of intervals, single severities and single classes have none.

    >>> is_headline("test/top1"), is_headline("test/top1_low"), is_headline("corruptions/fog/3/top1")
    (True, False, False)
    """
    single = name.startswith(("corruptions/", "test/class/")) and name.count("/") > 1
    return not name.endswith(INTERVAL_ENDS) and not single


def family_place(name: str) -> int:
    """Sort key of tables: test images first, costs last. In `evaluation.json` a family that was measured again is last.

    >>> sorted(["seconds/stage1", "before/knn_top1", "test/top1", "test/ece"], key=family_place)
    ['test/top1', 'test/ece', 'before/knn_top1', 'seconds/stage1']
    """
    return _PLACES.get(name.split("/")[0], 1)


def _title(name: str) -> str:
    family, _, last = name.rpartition("/")
    words = _words(last)
    if words is None:
        return name
    if family == "corruptions" and last.startswith("mean_"):
        return sentence_case(f"{words} under corruptions")
    return sentence_case(words if family in PLAIN else f"{_subject(family)} {words}")


def _words(last: str) -> str | None:
    """The title of the last part of a name; None if it is unknown."""
    if last.endswith(INTERVAL_ENDS):
        stem, end = last.rsplit("_", 1)
        words = _words(stem)
        return None if words is None else f"{words}, {end} end of the interval"
    if last.startswith("scaled_"):
        words = _words(last.removeprefix("scaled_"))
        return None if words is None else f"{words} after temperature scaling"
    if found := re.fullmatch(r"recall_at_(\d+)", last):
        return f"recall at {found[1]}"
    if found := re.fullmatch(r"knn(\d+)_t([\d.e-]+)_top1", last):
        return f"k-NN accuracy, k = {found[1]}, temperature {found[2]}"
    return TITLES.get(last)


def _subject(family: str) -> str:
    """The data that a family of metrics was measured on."""
    parts = family.split("/")
    if parts[0] == "corruptions":
        where = parts[1].replace("_", " ")
        return f"{where}:" if len(parts) == 2 else f"{where}, severity {parts[2]}:"
    if parts[0] == "transfer" and len(parts) == 3:
        where = "transfer, mean over sets" if parts[1] == "mean" else f"transfer to {parts[1]}"
        return f"{where}, {PROTOCOLS.get(parts[2], parts[2])}:"
    if parts[0] == "before":
        return "before training:"
    return f"on {parts[1]}:" if parts[0] == "on" and len(parts) == 2 else family


def sentence_case(words: str) -> str:
    """The text with a capital first letter, except for k-NN.

    >>> sentence_case("top-5 accuracy"), sentence_case("k-NN accuracy")
    ('Top-5 accuracy', 'k-NN accuracy')
    """
    return words if words.startswith("k-NN") else words[:1].upper() + words[1:]


def _kind(name: str) -> MeasureKind:
    family, last = name.split("/")[0], name.split("/")[-1]
    if family == "seconds":
        return "seconds"
    if family in ("parameters", "images"):
        return "count"
    stem = last.removesuffix("_low").removesuffix("_high")
    return "share" if _ends_in(stem, SHARES) or stem.startswith("recall_at_") else "number"


def _ends_in(last: str, endings: tuple[str, ...]) -> bool:
    return any(last == ending or last.endswith(f"_{ending}") for ending in endings)


def _better(name: str, kind: MeasureKind) -> Better:
    last = name.split("/")[-1]
    if last.endswith(INTERVAL_ENDS):
        return ""
    if kind == "seconds" or _ends_in(last, ("ece", "ece_increase", "ce", "mce", "nll", "brier", "loss", "error")):
        return "lower"
    return "higher" if kind == "share" else ""


def format_value(value: float, kind: MeasureKind) -> str:
    """A value with its unit; NaN is `not available`."""
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
    r"""A share of 0..1 in percent, with a non-breaking space.

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
    """Seconds as seconds, minutes or hours.

    >>> duration(83), duration(7.25), duration(7384)
    ('1 min 23 s', '7.2 s', '2 h 3 min')
    """
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"

"""The accuracy of a run next to that of its baseline and of the pretrained features it started from."""

from dataclasses import dataclass

import numpy as np

from supcon.evaluation import accuracy_interval
from supcon.report.run_results import RunResults
from supcon.report.tables.agreement import same_test_images, verdict
from supcon.report.tables.measure_names import percent, points
from supcon.report.tables.pooling import RunGroup
from supcon.report.tables.summary import method_in_words

FROZEN = "before/logistic_regression_top1"


@dataclass(frozen=True, kw_only=True)
class Accuracy:
    """One accuracy with its interval."""

    title: str
    value: float
    low: float
    high: float
    sentence: str = ""
    """How this run compares with it."""

    @property
    def text(self) -> str:
        return f"{percent(self.value)} ({percent(self.low)} to {percent(self.high)})"


def accuracies(results: RunResults) -> list[Accuracy]:
    """This run first, then what it can be compared with; empty if there is nothing."""
    others = [each for each in (_baseline(results), _frozen(results)) if each is not None]
    if results.outputs.multi_label or not others:
        return []
    title = f"{results.name}: {method_in_words(results.method).strip(',')}"
    return [_accuracy(title, results.outputs.correct), *others]


def _baseline(results: RunResults) -> Accuracy | None:
    baseline = results.baseline
    if baseline is None or not same_test_images(results, baseline):
        return None
    sentence = verdict(_alone(results), _alone(baseline))
    title = f"{baseline.name}: {method_in_words(baseline.method).strip(',')}, the baseline"
    return _accuracy(title, baseline.outputs.correct, sentence)


def _alone(results: RunResults) -> RunGroup:
    return RunGroup(title=results.name, runs=(results,))


def _frozen(results: RunResults) -> Accuracy | None:
    """The bootstrap needs only how many images are right, not which."""
    if FROZEN not in results.measures:
        return None
    images = len(results.outputs.labels)
    right = np.arange(images) < round(results.measures[FROZEN] * images)
    found = _accuracy("The pretrained encoder, before training: logistic regression on its features", right)
    low, high = accuracy_interval(results.outputs.correct)
    gain = float(results.outputs.correct.mean()) - found.value
    apart = "do not overlap" if low > found.high or high < found.low else "overlap"
    sentence = (
        f"Training changed the accuracy of the pretrained features, {percent(found.value)}, by {points(gain)} points; "
        f"the 95\N{NO-BREAK SPACE}% intervals {apart}."
    )
    return Accuracy(title=found.title, value=found.value, low=found.low, high=found.high, sentence=sentence)


def _accuracy(title: str, right: np.ndarray, sentence: str = "") -> Accuracy:
    low, high = accuracy_interval(right)
    return Accuracy(title=title, value=float(right.mean()), low=low, high=high, sentence=sentence)


@dataclass(frozen=True, kw_only=True)
class Scale:
    """A stretch of the axis from 0 to 1 that all intervals fit into."""

    start: float
    end: float

    def place(self, value: float) -> float:
        """Where a value is, in per cent of the stretch."""
        return round(100 * (value - self.start) / (self.end - self.start), 2)


def scale(shown: list[Accuracy]) -> Scale:
    low, high = min(each.low for each in shown), max(each.high for each in shown)
    margin = 0.15 * max(high - low, 0.01)
    return Scale(start=max(low - margin, 0.0), end=min(high + margin, 1.0))

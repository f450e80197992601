"""Where two groups of runs agree on the same test images, and whether their difference could be chance."""

from dataclasses import dataclass

import numpy as np

from supcon.report.intervals import difference_interval
from supcon.report.measures import percent, points
from supcon.report.pooling import RunGroup
from supcon.report.results import RunResults


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Test images by which of two runs got them right."""

    first: str
    second: str
    both: int
    only_first: int
    only_second: int
    neither: int

    @property
    def images(self) -> int:
        return self.both + self.only_first + self.only_second + self.neither

    def rows(self) -> list[tuple[str, int]]:
        """The four counts in words."""
        return [
            ("both right", self.both),
            (f"only {self.first} right", self.only_first),
            (f"only {self.second} right", self.only_second),
            ("both wrong", self.neither),
        ]


def same_test_images(first: RunResults, second: RunResults) -> bool:
    """Whether two runs were tested on the same labels in the same order, as far as their results tell."""
    return first.class_names == second.class_names and np.array_equal(first.outputs.labels, second.outputs.labels)


def agreement(first: RunGroup, second: RunGroup) -> Agreement:
    """Counts over the first run of each group."""
    right, other = first.first.outputs.correct, second.first.outputs.correct
    return Agreement(
        first=first.title,
        second=second.title,
        both=int((right & other).sum()),
        only_first=int((right & ~other).sum()),
        only_second=int((~right & other).sum()),
        neither=int((~right & ~other).sum()),
    )


def verdict(group: RunGroup, reference: RunGroup) -> str:
    """By how much a group's accuracy is above the reference's, and what that is worth."""
    low, high = difference_interval(group.right, reference.right)
    difference = float((group.right - reference.right).mean())
    mean, other = percent(float(group.right.mean()), 2), percent(float(reference.right.mean()), 2)
    figures = f"{group.title} recognises {mean} of the test images, {reference.title} {other}"
    spread = f"{points(difference)} points (95\N{NO-BREAK SPACE}% interval {points(low)} to {points(high)})"
    worth = "which could be chance" if low <= 0 <= high else "more than the choice of test images explains"
    return f"{figures}: {spread}, {worth}."

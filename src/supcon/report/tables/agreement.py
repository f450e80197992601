"""Agreement of two groups of runs on the same test images, and the significance of their difference."""

from dataclasses import dataclass

import numpy as np

from supcon.evaluation import paired_test
from supcon.report.run_results import RunResults
from supcon.report.tables.measure_names import percent, points
from supcon.report.tables.pooling import RunGroup


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Numbers of test images by which of two runs are correct."""

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
        """The four counts with their labels."""
        return [
            ("both correct", self.both),
            (f"only {self.first} correct", self.only_first),
            (f"only {self.second} correct", self.only_second),
            ("both wrong", self.neither),
        ]


def same_test_images(first: RunResults, second: RunResults) -> bool:
    """Whether two runs were tested on the same images in the same order.

    Equal labels are not enough: a stratified split with another seed has other images with the same labels. Results of
    older versions, which have no fingerprint of the images, are compared by their labels.
    """
    known = first.outputs.fingerprint and second.outputs.fingerprint
    if known and first.outputs.fingerprint != second.outputs.fingerprint:
        return False
    return first.class_names == second.class_names and np.array_equal(first.outputs.labels, second.outputs.labels)


def agreement(first: RunGroup, second: RunGroup) -> Agreement:
    """The counts for the first run of each group."""
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
    """A sentence on the difference in accuracy between a group and the reference, and whether it is significant."""
    difference, (low, high), p_value = paired_test(group.right, reference.right)
    mean, other = percent(float(group.right.mean()), 2), percent(float(reference.right.mean()), 2)
    accuracies = f"{group.title} has a test accuracy of {mean}, {reference.title} of {other}"
    change = f"{points(difference)} points (95\N{NO-BREAK SPACE}% interval {points(low)} to {points(high)})"
    significance = "not significant" if p_value > 0.05 else "significant"
    return f"{accuracies}: {change}, {significance} (paired test on the same images, {p_in_words(p_value)})."


def p_in_words(p_value: float) -> str:
    """A p-value with a sensible number of digits.

    >>> p_in_words(0.0312), p_in_words(1e-9), p_in_words(1.0)
    ('p = 0.031', 'p < 0.001', 'p = 1.00')
    """
    if p_value < 0.001:
        return "p < 0.001"
    return f"p = {p_value:.3f}" if p_value < 0.1 else f"p = {p_value:.2f}"

"""The definition of an experiment: one table or figure of the paper; does not import torch."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from supcon.experiments.scale import Scale
from supcon.recipes import Method

OURS = "Ours"
"""In place of a table or figure of the paper."""

Changes = Mapping[str, Any]
"""Values of a recipe to replace, by their dotted names."""

Extra = Literal["corruptions", "transfer", "gradients"]
"""An additional measurement of a cell; the names of its measures start with it."""

ChartKind = Literal["lines", "bars", "box", "matrix", "severity", "training"]
"""Lines over `at`; a bar for each setting; a box over the settings of each `line`; `line` times `at`; lines over the
severity of corruptions, one for each setting; lines over the epochs of stage 1."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One row of the table: a method and the changes to its recipe."""

    name: str
    """Name of the row, also for `--cells`."""

    method: Method = "supcon"

    changes: Changes = field(default_factory=dict)

    recipe: str | None = None
    """A recipe to use instead of the scale's, for other data or another encoder."""

    candidates: tuple[Changes, ...] = ({},)
    """Further changes, such as learning rates; the one with the best validation accuracy with one seed is used."""

    line: str = ""
    """The line, box or matrix row in the plot."""

    at: float | str = ""
    """Position on the horizontal axis."""

    published: Mapping[str, float] = field(default_factory=dict)
    """The paper's values by measure; percentages as fractions between 0 and 1."""

    extras: tuple[Extra, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A testable part of the claim: some settings compared with others."""

    first: tuple[str, ...]
    """Names of settings; their mean is compared."""

    second: tuple[str, ...]

    measure: str = "test/top1"

    on_par_within: float | None = None
    """None: the claim is that the first settings are better. A number: that both differ by less than it."""

    allowed: float = 0.0
    """How much worse than the second the first may be, if the claim is not that both are on par."""

    title: str = ""
    """Names the comparison in the verdict; default: the names of the settings."""


Answer = Literal["held", "did not hold", "cannot be told", "first is better", "second is better"]
"""The first two of a part of the claim, the last two of a comparison besides it."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The result of the test of a comparison."""

    answer: Answer
    sentence: str


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One table or figure of the paper."""

    name: str
    where: str
    """Table, figure or section of the paper, or `OURS`."""

    claim: str
    """What the paper says, in one sentence."""

    settings: Callable[[Scale], Sequence[Setting]]
    """The grid at a scale."""

    comparisons: Callable[[Scale], Sequence[Comparison]] = lambda scale: ()
    """All of them must hold for the claim to hold."""

    besides: Callable[[Scale], Sequence[Comparison]] = lambda scale: ()
    """Tested and shown in the same way, but no part of the claim."""

    judge: "Callable[[Any], Sequence[Outcome]] | None" = None
    """A special test if the claim is not a comparison of means; takes the `Results`."""

    measures: Callable[[Scale], tuple[str, ...]] = lambda scale: ("test/top1",)
    """The columns of the table; the first is the one that is plotted."""

    derive: Callable[[Mapping[str, float], Scale], Mapping[str, float]] = lambda measures, scale: {}
    """Further measures of a cell, computed from its own."""

    chart: ChartKind = "bars"
    axis: str = ""
    """Title of the horizontal axis of the plot."""

    differs: str = ""
    """How it differs from the paper's setting besides the scale."""


def above(
    first: str | Sequence[str], second: str | Sequence[str], measure: str = "test/top1", title: str = ""
) -> Comparison:
    """The claim that the first settings are better than the second; of several settings, the mean.

    >>> above("SupCon", "Cross-entropy").first
    ('SupCon',)
    """
    return Comparison(first=_names(first), second=_names(second), measure=measure, title=title)


def not_far_below(first: str, second: str, allowed: float, measure: str = "test/top1") -> Comparison:
    """The claim that the first setting is better than the second, or worse by less than `allowed`."""
    return Comparison(first=_names(first), second=_names(second), measure=measure, allowed=allowed)


def on_par(first: str | Sequence[str], second: str | Sequence[str], within: float, measure: str) -> Comparison:
    """The claim that the first and the second differ by less than `within`."""
    return Comparison(first=_names(first), second=_names(second), measure=measure, on_par_within=within)


def _names(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)

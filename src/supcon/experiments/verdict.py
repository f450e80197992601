"""Tests the paper's claim by a statistical test over seeds and test images; does not import torch.

The test of a comparison is two-sided at 5 %: the difference of the means over seeds, divided by its standard error, is
compared with Student's t distribution. The standard error has two parts. Over seeds, as in Welch's test: for every
setting its own variance between seeds, times weight² / seeds; a setting with a single seed cannot be compared. Settings
that differ in stage 2 alone have the same encoder with the same seed, so that their values are not independent; if any
of the compared settings share one, the difference is computed for each seed, and its own variance between seeds is
taken. Over test images, if the measure is a mean over images that all cells share: the variance over images of the
difference (each image's value is its mean over seeds), divided by the number of images. This part is paired: images
that are difficult for both settings do not increase it. Which images are right also varies with the seed, which is in
both parts, so that the test is a little too careful rather than too bold. The degrees of freedom of the sum are Welch
and Satterthwaite's. That two settings are on par is told only of measures with the second part: without it a small test
set would seem to show it.

A claim of several comparisons holds if each does (an intersection-union test, which needs no correction); it does not
hold if one is contradicted at 5 % divided by their number (Bonferroni's correction).

Not in the test: a seed also determines which training and validation images are drawn, so that two settings with equal
seeds have a part of their spread in common, which makes the test too careful.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from supcon.experiments.experiment import Answer, Comparison, Outcome
from supcon.experiments.results import Results, Row
from supcon.report import describe

LEVEL = 0.05
_TEST = (
    "Two-sided t-test at 5 % of the difference of means over seeds (Welch's; seed by seed where settings share an "
    "encoder), to whose variance, for accuracy on clean images and over all corruptions, the paired variance over test "
    "images is added. A setting is compared only if it has two seeds. The claim held if every part did. It did not "
    "hold if one part did not, at 5 % divided by the number of parts."
)
_BETTER = "A part held if the first is significantly better, and did not hold if it is significantly worse."
_ALLOWED = "Where the first may be somewhat worse, the difference is compared with that limit instead of zero."
_ON_PAR = "On par: the whole interval is within the limit; not on par: the whole interval is outside of it."
_BESIDES = "What is no part of the claim is tested at 5 % each, without a correction for their number."


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The answer for the whole claim, and for its parts."""

    answer: str
    parts: tuple[Outcome, ...]
    besides: tuple[Outcome, ...] = ()
    """Of comparisons that are no part of the claim."""

    @property
    def sentence(self) -> str:
        return {
            "held": "The claim held at this scale.",
            "did not hold": "The claim did not hold at this scale.",
            "cannot be told": "Whether the claim held cannot be told from what was run.",
            "not finished": "Not all cells are finished, so there is no verdict yet.",
            "not all rows": "Only some rows were asked for, so there is no verdict on the whole claim.",
        }[self.answer]


@dataclass(frozen=True)
class Difference:
    """The mean difference of the first settings from the second, and its standard error."""

    value: float
    error: float
    """Standard error; NaN if the variance over seeds is not known, for which two seeds must differ."""
    freedom: float
    over_images: bool = False
    """Whether the standard error contains the variance over test images."""

    def half_width(self, level: float) -> float:
        from scipy.stats import t

        return float(t.ppf(1 - level / 2, self.freedom)) * self.error if self.error > 0 else 0.0


def judge(results: Results) -> Verdict:
    """The verdict on an experiment's claim from the finished cells."""
    experiment = results.experiment
    every, besides = experiment.comparisons(results.request.scale), experiment.besides(results.request.scale)
    comparisons = _of_known_rows(every, results)
    parts = [_decide(part, results, len(comparisons)) for part in comparisons]
    if experiment.judge is not None and results.complete:
        parts += experiment.judge(results)
    answers = {part.answer for part in parts}
    answer = "cannot be told"
    if not results.complete:
        answer = "not finished"
    elif len(comparisons) < len(every) or (experiment.judge is not None and results.request.only):
        answer = "not all rows"
    elif "did not hold" in answers:
        answer = "did not hold"
    elif answers == {"held"}:
        answer = "held"
    others = tuple(_besides(part, results) for part in _of_known_rows(besides, results))
    return Verdict(answer=answer, parts=tuple(parts), besides=others)


def method_text(results: Results) -> str:
    """Describes the test behind the verdict: the experiment's own, or that of the kinds of comparisons that it has."""
    experiment, scale = results.experiment, results.request.scale
    if experiment.judge is not None:
        return " ".join((experiment.judge.__doc__ or "").split())
    parts, besides = experiment.comparisons(scale), experiment.besides(scale)
    kinds = {
        _BETTER: any(part.on_par_within is None for part in parts),
        _ALLOWED: any(part.allowed for part in parts),
        _ON_PAR: any(part.on_par_within is not None for part in parts),
        _BESIDES: bool(besides),
    }
    return " ".join([_TEST, *(text for text, there in kinds.items() if there)])


def _of_known_rows(comparisons: Sequence[Comparison], results: Results) -> list[Comparison]:
    """The comparisons all of whose settings were asked for."""
    known = {row.setting.name for row in results.rows}
    return [part for part in comparisons if {*part.first, *part.second} <= known]


def _besides(part: Comparison, results: Results) -> Outcome:
    """The test of a comparison that nobody claims: which one is better."""
    outcome = _decide(part, results, 1)
    better: dict[Answer, Answer] = {"held": "first is better", "did not hold": "second is better"}
    return replace(outcome, answer=better.get(outcome.answer, outcome.answer))


def _decide(part: Comparison, results: Results, parts: int) -> Outcome:
    first, second = (_rows(results, names) for names in (part.first, part.second))
    title = describe(part.measure).title
    names = part.title or f"{_listed(part.first)} against {_listed(part.second)}"
    words = f"{names}, {title[0].lower()}{title[1:]}"
    if first is None or second is None or not all(row.complete for row in (*first, *second)):
        return Outcome(answer="cannot be told", sentence=f"{words}: not all of it is measured.")
    if any(row.failures for row in (*first, *second)):
        return _with_failures(part, first, second, words)
    if not all(row.values(part.measure) for row in (*first, *second)):
        return Outcome(answer="cannot be told", sentence=f"{words}: not all of it is measured.")
    found = difference(first, second, part.measure)
    if describe(part.measure).better == "lower":
        found = replace(found, value=-found.value)
    return _outcome(part, found, words, parts)


def _with_failures(part: Comparison, first: Sequence[Row], second: Sequence[Row], words: str) -> Outcome:
    """A training that always failed is worse than one that never did, with two seeds at least; whatever lies between
    cannot be told."""
    names = [row.setting.name + " (some seeds)" * bool(row.cells) for row in (*first, *second) if row.failures]
    sentence = f"{words}: training failed with {', '.join(names)}."
    if part.on_par_within is None:
        for worse, better, answer in ((first, second, "did not hold"), (second, first, "held")):
            failed = all(len(row.failures) >= 2 and not row.cells for row in worse)
            if failed and all(len(row.cells) >= 2 and not row.failures for row in better):
                return Outcome(answer=answer, sentence=sentence)  # type: ignore[arg-type]
    return Outcome(answer="cannot be told", sentence=sentence)


def _outcome(part: Comparison, found: Difference, words: str, parts: int) -> Outcome:
    ahead = 1 if found.value >= 0 else -1
    better = "first" if ahead > 0 else "second"
    size = f"{words}: the {better} is better by {_points(abs(found.value), part.measure)}"
    if math.isnan(found.error):
        unknown = "its spread over seeds is unknown, for which each needs two seeds that differ"
        return Outcome(answer="cannot be told", sentence=f"{size}; {unknown}.")
    half, wide = found.half_width(LEVEL), found.half_width(LEVEL / max(parts, 1))
    low, high = found.value - half, found.value + half
    # The interval is of what the sentence names: how much the better one is ahead.
    ends = [_points(ahead * end, part.measure) for end in (low, high)[::ahead]]
    sentence = f"{size} (95\N{NO-BREAK SPACE}% interval {ends[0].removesuffix(' points')} to {ends[1]})."
    within = part.on_par_within
    if within is None:
        held, contradicted = low > -part.allowed, found.value + wide < -part.allowed
        if part.allowed:
            sentence = f"{sentence[:-1]}; the first may be {_points(part.allowed, part.measure)} worse."
        elif high < 0 and not contradicted:
            sentence = f"{sentence[:-1]}, which is not enough at 5 % divided by the {parts} parts of the claim."
    else:
        sentence = f"{sentence[:-1]}; on par means within {_points(within, part.measure)}."
        held, contradicted = -within < low and high < within, abs(found.value) - wide > within
        if held and not found.over_images:
            held, sentence = False, f"{sentence[:-1]}, but how sure the test images make it is not known."
    return Outcome(answer="held" if held else "did not hold" if contradicted else "cannot be told", sentence=sentence)


def difference(first: Sequence[Row], second: Sequence[Row], measure: str) -> Difference:
    """Mean of the first rows minus that of the second, with its standard error over seeds and test images."""
    weights = [(row, 1 / len(first)) for row in first] + [(row, -1 / len(second)) for row in second]
    paired = _share_encoders(weights)
    if paired:
        common = set.intersection(*({cell.seed for cell in row.cells} for row, _ in weights))
        weights = [(row.with_seeds(common), weight) for row, weight in weights] if common else weights
    value = sum(weight * row.mean(measure) for row, weight in weights)
    over_seeds = _seed_by_seed(weights, measure) if paired else _over_seeds(weights, measure)
    over_images, images = _image_variance(weights, measure)
    if not over_seeds:
        return Difference(value, math.nan, 1.0, bool(images))
    parts = [*over_seeds, *([(over_images, images - 1)] if images > 1 else [])]
    total = sum(variance for variance, _ in parts)
    if total == 0:
        return Difference(value, 0.0 if images else math.nan, 1.0, bool(images))
    freedom = total**2 / sum(variance**2 / freedom for variance, freedom in parts)
    return Difference(value, math.sqrt(total), freedom, bool(images))


def _over_seeds(weights: Sequence[tuple[Row, float]], measure: str) -> list[tuple[float, int]]:
    """For every row its part of the variance of the difference, and its degrees of freedom; empty if not known."""
    values = [(row.values(measure), weight) for row, weight in weights]
    if any(len(some) < 2 for some, _ in values):
        return []
    return [(weight**2 * float(np.var(some, ddof=1)) / len(some), len(some) - 1) for some, weight in values]


def _seed_by_seed(weights: Sequence[tuple[Row, float]], measure: str) -> list[tuple[float, int]]:
    """The variance of the difference, computed for each seed; empty if the rows have not the same two seeds."""
    by_seed = [({cell.seed: cell.measures.get(measure, math.nan) for cell in row.cells}, w) for row, w in weights]
    seeds = sorted(by_seed[0][0])
    if len(seeds) < 2 or any(sorted(values) != seeds for values, _ in by_seed):
        return []
    differences = [sum(weight * values[seed] for values, weight in by_seed) for seed in seeds]
    return [(float(np.var(differences, ddof=1)) / len(differences), len(differences) - 1)]


def _share_encoders(weights: Sequence[tuple[Row, float]]) -> bool:
    return len(frozenset.union(*(row.encoders for row, _ in weights))) < sum(len(row.encoders) for row, _ in weights)


def _image_variance(weights: Sequence[tuple[Row, float]], measure: str) -> tuple[float, int]:
    """The variance of the mean difference over images, and their number; 0 if the measure is no mean over images."""
    per_image = [(row.images(measure), weight) for row, weight in weights]
    sets = {cell.test_set for row, _ in weights for cell in row.cells}
    if len(sets) != 1 or any(values is None for values, _ in per_image):
        return 0.0, 0
    differences = sum(weight * values for values, weight in per_image if values is not None)
    images = len(np.atleast_1d(differences))
    return float(np.var(differences, ddof=1)) / images if images > 1 else 0.0, images


def _rows(results: Results, names: Sequence[str]) -> list[Row] | None:
    rows = [results.row(name) for name in names]
    return None if any(row is None for row in rows) else [row for row in rows if row is not None]


def _points(value: float, measure: str) -> str:
    kind = describe(measure).kind
    return (f"{100 * value:.2f} points" if kind == "share" else f"{value:.3g}").replace("-", "−")


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"the mean of {', '.join(names)}"

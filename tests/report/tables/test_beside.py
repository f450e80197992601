from dataclasses import replace

import numpy as np
import pytest

from supcon.evaluation import accuracy_interval, paired_test
from supcon.report import RunResults
from supcon.report.tables.beside import FROZEN, accuracies, scale


def test_the_run_its_baseline_and_the_frozen_features(digits_run: RunResults, baseline_run: RunResults) -> None:
    run = replace(digits_run, baseline=baseline_run, measures={**digits_run.measures, FROZEN: 0.9})
    own, other, frozen = accuracies(run)
    assert own.value == digits_run.outputs.correct.mean()
    assert (own.low, own.high) == accuracy_interval(digits_run.outputs.correct)
    assert other.title == "digits-cross-entropy: cross-entropy, the baseline"
    assert other.value == baseline_run.outputs.correct.mean()
    test = paired_test(digits_run.outputs.correct, baseline_run.outputs.correct)
    assert f"{100 * test.difference:+.1f}".replace("-", "−") in other.sentence
    assert frozen.value == pytest.approx(0.9)
    assert (frozen.low, frozen.high) == accuracy_interval(np.arange(360) < 324)
    assert "do not overlap" in frozen.sentence or "overlap" in frozen.sentence


def test_intervals_that_are_apart(digits_run: RunResults) -> None:
    run = replace(digits_run, measures={**digits_run.measures, FROZEN: 0.3})
    assert "the 95\xa0% intervals do not overlap" in accuracies(run)[1].sentence


def test_nothing_to_compare_with(digits_run: RunResults, baseline_run: RunResults) -> None:
    assert accuracies(digits_run) == []
    moved = replace(baseline_run, outputs=replace(baseline_run.outputs, fingerprint="a"))
    run = replace(digits_run, baseline=moved, outputs=replace(digits_run.outputs, fingerprint="b"))
    assert accuracies(run) == []


def test_everything_is_within_the_scale(digits_run: RunResults, baseline_run: RunResults) -> None:
    shown = accuracies(replace(digits_run, baseline=baseline_run))
    axis = scale(shown)
    for row in shown:
        assert 0 <= axis.place(row.low) <= axis.place(row.value) <= axis.place(row.high) <= 100

"""Table 4: transfer to twelve data sets."""

import math
from dataclasses import replace

import pytest

from supcon.experiments import EXPERIMENTS, SCALES


def test_every_data_set_has_its_own_metric_and_figure() -> None:
    rows = {row.name: row.published for row in EXPERIMENTS["transfer"].settings(SCALES["paper"])}
    assert set(rows) == {"SupCon", "Cross-entropy", "SimCLR", "SupCon, ResNet-200", "Cross-entropy, ResNet-200"}
    assert rows["Cross-entropy, ResNet-200"]["transfer/cifar10/fine_tune/top1"] == pytest.approx(0.9796)
    assert rows["SupCon"]["transfer/cifar10/fine_tune/top1"] == pytest.approx(0.9742)
    assert "transfer/voc2007/fine_tune/map_11_point" in rows["SupCon"]
    assert "transfer/oxford-pets/fine_tune/mean_per_class" in rows["SupCon"]
    for figures in rows.values():
        assert len(figures) == 12 + 1
        mean = figures["transfer/mean/fine_tune/accuracy"]
        assert mean == pytest.approx((sum(figures.values()) - mean) / 12)


def test_on_par_means_within_one_point_of_the_mean() -> None:
    comparisons = EXPERIMENTS["transfer"].comparisons(SCALES["small"])
    assert {c.measure for c in comparisons} == {"transfer/mean/fine_tune/accuracy"}
    assert [c.on_par_within for c in comparisons] == [0.01, 0.01]
    assert len(EXPERIMENTS["transfer"].settings(SCALES["small"])) == 3


def test_the_mean_is_over_the_sets_that_were_asked_for() -> None:
    """A cell may also have been transferred to others, for another table."""
    scale = replace(SCALES["small"], transfer_to=("cifar10", "oxford-pets"))
    measures = {
        "transfer/cifar10/fine_tune/top1": 0.9,
        "transfer/oxford-pets/fine_tune/mean_per_class": 0.7,
        "transfer/digits/fine_tune/top1": 0.1,
    }
    derive, mean = EXPERIMENTS["transfer"].derive, "transfer/mean/fine_tune/accuracy"
    assert derive(measures, scale) == {mean: pytest.approx(0.8)}
    assert math.isnan(derive({}, scale)[mean])

"""Table 4: transfer to twelve data sets."""

import pytest

from supcon.experiments import EXPERIMENTS, SCALES


def test_every_data_set_has_its_own_metric_and_figure() -> None:
    rows = {row.name: row.published for row in EXPERIMENTS["transfer"].settings(SCALES["paper"])}
    assert set(rows) == {"SupCon", "Cross-entropy", "SimCLR"}
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

"""Supp. Sec. 3: hard and easy pairs; `test_verdict` has the test."""

from supcon.experiments import EXPERIMENTS, SCALES


def test_both_losses_are_measured_ten_times_during_training() -> None:
    scale = SCALES["small"]
    rows = EXPERIMENTS["gradients"].settings(scale)
    assert [row.method for row in rows] == ["supcon", "supcon-in"]
    assert all(row.extras == ("gradients",) for row in rows)
    assert {row.changes["stage1.knn_every"] for row in rows} == {max(1, scale.base().stage1.epochs // 10)}

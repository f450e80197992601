"""Sec. 1: wrong labels."""

from supcon.experiments import EXPERIMENTS, SCALES


def test_both_losses_at_every_share_of_wrong_labels() -> None:
    rows = EXPERIMENTS["label-noise"].settings(SCALES["small"])
    assert [row.changes["data.label_noise"] for row in rows] == [0, 0.2, 0.4, 0.6] * 2
    comparisons = EXPERIMENTS["label-noise"].comparisons(SCALES["small"])
    assert [c.second for c in comparisons] == [(f"Cross-entropy, {share} % wrong",) for share in (20, 40, 60)]

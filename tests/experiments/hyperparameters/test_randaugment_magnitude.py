"""Supp. Fig. 3: the magnitude of RandAugment."""

from supcon.experiments import EXPERIMENTS, SCALES


def test_both_losses_at_every_magnitude() -> None:
    rows = EXPERIMENTS["randaugment-magnitude"].settings(SCALES["small"])
    assert [row.changes["views.rand_augment_magnitude"] for row in rows] == [2, 4, 6, 8, 10] * 2
    assert all(row.changes["views.augmentation"] == "rand-augment" for row in rows)
    comparisons = EXPERIMENTS["randaugment-magnitude"].comparisons(SCALES["small"])
    assert [c.first for c in comparisons] == [(f"SupCon, magnitude {m}",) for m in (2, 4, 6, 8, 10)]

"""Supp. Table 9: augmentations of both stages."""

from supcon.experiments import EXPERIMENTS, SCALES


def test_all_pairs_of_four_augmentations() -> None:
    rows = {row.name: row for row in EXPERIMENTS["augmentations"].settings(SCALES["paper"])}
    assert len(rows) == 4 * 4
    pair = rows["AutoAugment, then SimAugment"]
    assert pair.published["test/top1"] == 0.754
    assert pair.changes["views.augmentation"] == "auto-augment"
    assert pair.changes["stage2.views.augmentation"] == "sim-augment"
    assert rows["Stacked RandAugment, then RandAugment"].published["test/top1"] == 0.782


def test_equal_pairs_are_compared_with_unequal_ones_without_stacked_rand_augment() -> None:
    first, *_ = EXPERIMENTS["augmentations"].comparisons(SCALES["paper"])
    assert (len(first.first), len(first.second)) == (3, 6)
    assert not any("Stacked" in name for name in (*first.first, *first.second))

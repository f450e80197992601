"""Supp. Table 9: augmentations of both stages."""

from statistics import fmean

from supcon.experiments import EXPERIMENTS, SCALES


def test_all_pairs_of_four_augmentations() -> None:
    rows = {row.name: row for row in EXPERIMENTS["augmentations"].settings(SCALES["paper"])}
    assert len(rows) == 4 * 4
    pair = rows["AutoAugment, then SimAugment"]
    assert pair.published["test/top1"] == 0.754
    assert pair.changes["views.augmentation"] == "auto-augment"
    assert pair.changes["stage2.views.augmentation"] == "sim-augment"
    assert rows["Stacked RandAugment, then RandAugment"].published["test/top1"] == 0.782


def test_the_best_the_worst_and_for_each_of_three_the_same_in_both_stages() -> None:
    comparisons = EXPERIMENTS["augmentations"].comparisons(SCALES["paper"])
    single = [(*c.first, *c.second) for c in comparisons if len(c.second) == 1]
    names = {tuple(name.partition(", then ")[0] for name in pair) for pair in single}
    assert all(len(set(name.split(", then "))) == 1 for pair in single for name in pair)
    best = {("AutoAugment", other) for other in ("RandAugment", "SimAugment", "Stacked RandAugment")}
    worst = {(other, "Stacked RandAugment") for other in ("RandAugment", "SimAugment")}
    assert names == best | worst
    for same in comparisons[5:]:
        (pair,), (stage1, stage2) = same.first, same.first[0].split(", then ")
        assert stage1 == stage2 != "Stacked RandAugment"
        assert len(same.second) == 3
        assert pair not in same.second
        assert all(other.startswith(f"{stage1}, then ") for other in same.second)
        assert f"{stage1} in both stages" in same.title
    assert len(comparisons) == 8


def test_the_papers_own_figures_hold() -> None:
    experiment = EXPERIMENTS["augmentations"]
    figures = {row.name: row.published["test/top1"] for row in experiment.settings(SCALES["paper"])}
    for c in experiment.comparisons(SCALES["paper"]):
        assert fmean(figures[name] for name in c.first) > fmean(figures[name] for name in c.second)

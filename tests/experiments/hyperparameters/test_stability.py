"""Fig. 4 (a): how much accuracy varies over settings; `test_verdict` has the test."""

from supcon.experiments import EXPERIMENTS, SCALES


def test_augmentations_optimizers_and_rates_are_varied_one_at_a_time() -> None:
    scale = SCALES["small"]
    rows = [row for row in EXPERIMENTS["stability"].settings(scale) if row.line == "SupCon"]
    kinds = [row.name.split(", ", 1)[1] for row in rows]
    assert [kind for kind in kinds if "Augment" in kind] == [
        "AutoAugment",
        "RandAugment",
        "SimAugment",
        "Stacked RandAugment",
    ]
    rates = [row.changes["stage1.optimizer.lr"] for row in rows if "rate times" in row.name]
    assert rates == [scale.base().stage1.optimizer.lr * factor for factor in (0.25, 0.5, 1, 2, 4)]
    assert {"LARS", "RMSProp"} <= set(kinds)
    assert all(len(row.candidates) == 3 for row in rows if row.name.endswith(("LARS", "RMSProp")))

"""Supp. Table 8: optimizers of both stages."""

from supcon.experiments import EXPERIMENTS, SCALES


def test_all_pairs_of_three_optimizers() -> None:
    rows = {row.name: row for row in EXPERIMENTS["optimizers"].settings(SCALES["small"])}
    assert len(rows) == 3 * 3
    best = rows["LARS, then RMSProp"]
    assert best.published["test/top1"] == 0.787 == max(row.published["test/top1"] for row in rows.values())
    assert best.changes["stage2.optimizer.name"] == "rmsprop"
    assert {candidate["stage1.optimizer.name"] for candidate in best.candidates} == {"lars"}
    assert len(best.candidates) == 3

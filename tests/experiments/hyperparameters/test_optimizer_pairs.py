"""Supp. Table 8: optimizers of both stages."""

from supcon.experiments import EXPERIMENTS, SCALES


def test_all_pairs_of_three_optimizers() -> None:
    rows = {row.name: row for row in EXPERIMENTS["optimizers"].settings(SCALES["small"])}
    assert len(rows) == 3 * 3
    best = rows["LARS, then RMSProp"]
    assert best.published["test/top1"] == 0.787 == max(row.published["test/top1"] for row in rows.values())
    stages = {(change["stage1.optimizer.name"], change["stage2.optimizer.name"]) for change in best.candidates}
    assert stages == {("lars", "rmsprop")}
    assert len(best.candidates) == 3

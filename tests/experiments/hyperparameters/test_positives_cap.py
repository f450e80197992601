"""Supp. Table 5: the cap on positives."""

from supcon.experiments import EXPERIMENTS, SCALES


def test_caps_and_accuracies_are_those_of_the_table() -> None:
    rows = EXPERIMENTS["positives"].settings(SCALES["paper"])
    assert rows[0].changes == {"loss.max_positives": 1}
    assert rows[0].published["test/top1"] == 0.693
    assert (rows[-1].changes, rows[-1].published["test/top1"]) == ({}, 0.785)
    assert [row.published["test/top1"] for row in rows[1:-1]] == [0.766, 0.780, 0.784, 0.783]

"""Supp. Table 7: cross-entropy in one and two stages."""

from supcon.experiments import EXPERIMENTS, SCALES


def test_rows_are_those_of_the_table() -> None:
    rows = {row.method: row for row in EXPERIMENTS["two-stage-cross-entropy"].settings(SCALES["paper"])}
    assert set(rows) == {"supcon", "cross-entropy", "cross-entropy-two-stage"}
    assert rows["cross-entropy-two-stage"].published == {
        "test/top1": 0.737,
        "corruptions/mce": 0.733,
        "corruptions/relative_mce": 0.929,
    }
    assert all(row.extras == ("corruptions",) for row in rows.values())

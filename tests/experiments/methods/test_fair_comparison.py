"""The comparison with the same grid of candidates for both losses."""

from supcon.experiments import EXPERIMENTS, SCALES


def test_all_rows_choose_from_the_same_number_of_candidates() -> None:
    rows = EXPERIMENTS["fair-comparison"].settings(SCALES["small"])
    assert [row.method for row in rows] == ["supcon", "cross-entropy", "cross-entropy"]
    assert {len(row.candidates) for row in rows} == {3 * 2}
    for row in rows:
        own = SCALES["small"].base(row.method)
        rates = sorted({candidate["stage1.optimizer.lr"] for candidate in row.candidates})
        assert rates == [own.stage1.optimizer.lr * factor for factor in (0.5, 1.0, 2.0)]
        views = {candidate["views.augmentation"] for candidate in row.candidates}
        assert views == {"sim-augment", "crop-flip"}
    assert [row.changes.get("views.count") for row in rows] == [None, 2, 1]

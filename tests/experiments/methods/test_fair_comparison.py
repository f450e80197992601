"""The comparison with the same grid of candidates for both losses."""

from supcon.experiments import EXPERIMENTS, SCALES


def test_all_rows_choose_from_the_same_number_of_candidates() -> None:
    rows = EXPERIMENTS["fair-comparison"].settings(SCALES["small"])
    assert [row.method for row in rows] == [
        *("supcon", "cross-entropy", "cross-entropy"),
        *("supcon", "cross-entropy"),
    ]
    assert {len(row.candidates) for row in rows} == {4 * 2}
    for row in rows:
        own = SCALES["small"].base(row.method)
        rates = sorted({candidate["stage1.optimizer.lr"] for candidate in row.candidates})
        assert rates == [own.stage1.optimizer.lr * factor for factor in (0.5, 1.0, 2.0, 4.0)]
        views = {(change["views.augmentation"], change.get("views.crop_area")) for change in row.candidates}
        assert views == {("sim-augment", None), ("crop-flip", (0.5, 1.0))}
    assert [row.changes.get("views.count") for row in rows] == [None, 2, 1, 1, 1]


def test_one_view_at_the_same_time_has_as_many_rows_and_steps() -> None:
    for scale in SCALES.values():
        rows = {row.name: row for row in EXPERIMENTS["fair-comparison"].settings(scale)}
        base = scale.base()
        for name in ("SupCon, one view, same time", "Cross-entropy, one view, same time"):
            changes = rows[name].changes
            assert changes["views.count"] * changes["stage1.batch_size"] == base.views.count * base.stage1.batch_size
            steps_of_an_image = changes["stage1.epochs"] / changes["stage1.batch_size"]
            assert steps_of_an_image == base.stage1.epochs / base.stage1.batch_size

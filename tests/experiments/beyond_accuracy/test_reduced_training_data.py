"""Sec. 4.2: less training data."""

from supcon.experiments import EXPERIMENTS, SCALES


def test_fewer_images_are_seen_for_more_epochs() -> None:
    scale = SCALES["small"]
    base = scale.base()
    assert base.data.per_class is not None
    rows = {row.at: row.changes for row in EXPERIMENTS["reduced-data"].settings(scale) if row.line == "SupCon"}
    assert rows[100] == {}
    for share in (10, 25, 50):
        assert rows[share] == {
            "data.per_class": round(base.data.per_class * share / 100),
            "stage1.epochs": round(base.stage1.epochs * 100 / share),
        }


def test_a_whole_data_set_is_reduced_to_a_fraction_with_each_methods_own_steps() -> None:
    rows = EXPERIMENTS["reduced-data"].settings(SCALES["paper"])
    changes = {row.method: row.changes for row in rows if row.at == 10}
    assert changes["supcon"] == {"data.fraction": 0.1, "stage1.epochs": 3500}
    assert changes["cross-entropy"] == {"data.fraction": 0.1, "stage1.epochs": 2000}

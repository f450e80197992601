from supcon.report.tables.published_transfer import ROWS, TABLE_4
from supcon.report.tables.transfer_table import transfer_rows


def test_the_papers_figures_stand_beside_ours() -> None:
    measures = {
        "transfer/cifar10/fine_tune/top1": 0.9,
        "transfer/cifar10/linear/top1": 0.8,
        "transfer/mine/fine_tune/top1": 0.7,
    }
    tuned, linear, mine, mean = transfer_rows(measures, {})
    assert dict(zip(ROWS, tuned.published, strict=True))["SupCon-50"] == "97.42\xa0%"
    assert not any(linear.published), "the table is of fine-tuning"
    assert not any(mine.published)
    assert len(TABLE_4) == 12
    assert (mean.data, mean.value) == ("mean over 2 sets", "80.00\xa0%")
    assert not any(mean.published), "the paper has no figure for one of them"


def test_the_mean_over_the_sets_is_shown_as_in_table_4() -> None:
    """Over the sets of one protocol, whatever their metrics; beside it the paper's over the same sets."""
    metrics = dict.fromkeys(TABLE_4, "top1") | {"voc2007": "map_11_point", "oxford-pets": "mean_per_class"}
    measures = {f"transfer/{name}/fine_tune/{metric}": TABLE_4[name][0] / 100 for name, metric in metrics.items()}
    two = dict(list(measures.items())[:2])
    *_, mean = transfer_rows(two, {})
    assert mean.published[0] == f"{(87.23 + 97.42) / 2:.2f}\xa0%"
    assert mean.remark == "food101, cifar10"
    *_, mean = transfer_rows(measures, {})
    assert mean.data == "mean over 12 sets"
    assert mean.published == ("84.85\xa0%", "85.07\xa0%", "85.52\xa0%", "86.32\xa0%", "86.37\xa0%")
    assert mean.value.startswith("84.8")
    assert "the paper prints 84.27, 84.67, 84.81, 85.67, 85.77" in mean.remark
    assert len(transfer_rows(dict(list(measures.items())[:1]), {})) == 1, "no mean of one set"

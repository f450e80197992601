from supcon.report.tables.published_transfer import ROWS, TABLE_4
from supcon.report.tables.transfer_table import transfer_rows


def test_the_papers_figures_stand_beside_ours() -> None:
    measures = {
        "transfer/cifar10/fine_tune/top1": 0.9,
        "transfer/cifar10/linear/top1": 0.8,
        "transfer/mine/fine_tune/top1": 0.7,
    }
    tuned, linear, mine = transfer_rows(measures, {})
    assert dict(zip(ROWS, tuned.published, strict=True))["SupCon-50"] == "97.42\xa0%"
    assert not any(linear.published), "the table is of fine-tuning"
    assert not any(mine.published)
    assert len(TABLE_4) == 12

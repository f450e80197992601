from pathlib import Path

import pytest

from supcon.base.metrics_table import metrics_text, read_metrics


def test_a_table_comes_back_with_its_gaps(tmp_path: Path) -> None:
    table = {2: {"train/loss": 1 / 3}, 1: {"train/loss": 2.5, "validation/knn_top1": 0.75}}
    (tmp_path / "metrics.csv").write_text(metrics_text(table))
    assert (tmp_path / "metrics.csv").read_text().splitlines()[0] == "epoch,train/loss,validation/knn_top1"
    assert read_metrics(tmp_path / "metrics.csv") == table
    assert list(read_metrics(tmp_path / "metrics.csv")) == [1, 2]


def test_no_file_is_an_empty_table(tmp_path: Path) -> None:
    assert read_metrics(tmp_path / "metrics.csv") == {}


def test_a_file_that_is_no_table_is_not_read_as_one(tmp_path: Path) -> None:
    (tmp_path / "metrics.csv").write_text("epoch,a\none,2\n")
    with pytest.raises(ValueError, match="one"):
        read_metrics(tmp_path / "metrics.csv")

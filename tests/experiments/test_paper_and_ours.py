"""The table and the texts made of it."""

import csv
import io
from dataclasses import replace

from experiments.conftest import Measured
from supcon.experiments import (
    result_table,
    table_csv,
)


def test_the_table_has_paper_ours_and_difference(measured: Measured) -> None:
    results = measured("loss-variants")
    table = result_table(results)
    assert table.headings == (
        "setting",
        "Test accuracy: paper",
        "Test accuracy: ours",
        "Test accuracy: difference",
        "seeds",
    )
    assert [text.replace("\xa0", " ") for text in table.rows[0]] == [
        "L_out (Eq. 2)",
        "78.70 %",
        "50.50 % ± 0.71",
        "−28.20",
        "2",
    ]
    rows = list(csv.DictReader(io.StringIO(table_csv(results))))
    assert rows[0]["paper"] == "0.787"
    assert float(rows[0]["mean"]) == 0.505
    assert abs(float(rows[0]["difference"]) - (0.505 - 0.787)) < 1e-9
    assert rows[0]["seeds"] == "2"


def test_a_row_names_what_was_chosen(measured: Measured) -> None:
    finished, results = measured("loss-variants").rows[0].cells, measured("fair-comparison")
    row = results.rows[0]
    chosen = replace(row, cells=finished, chosen=row.setting.candidates[0])
    title = result_table(replace(results, rows=(chosen,))).rows[0][0]
    assert title == f"SupCon (augmentation {row.setting.candidates[0]['views.augmentation']})"


def test_values_in_another_unit_than_the_papers_have_no_difference(measured: Measured) -> None:
    """mCE: in units of AlexNet's errors there, of cross-entropy's here."""
    results = measured("robustness", **{f"corruptions__fog__{severity}__top1": 0.4 for severity in range(1, 6)})
    rows = [row for row in result_table(results).rows if row[1] == "Mean corruption error"]
    assert [row[2].replace("\xa0", " ") for row in rows] == ["67.20 %", "68.60 %"]
    assert all(row[3] != "–" and row[4] == "–" for row in rows)
    table = [row for row in csv.DictReader(io.StringIO(table_csv(results))) if row["measure"] == "corruptions/mce"]
    assert all(row["mean"] and not row["difference"] for row in table)


def test_a_measure_that_the_paper_does_not_print_has_one_column(measured: Measured) -> None:
    assert result_table(measured("batch-size")).headings == ("setting", "Test accuracy: ours", "seeds")


def test_measures_are_columns_as_long_as_they_fit(measured: Measured) -> None:
    assert result_table(measured("fair-comparison")).headings == (
        *("setting", "Test accuracy: ours", "Test k-NN accuracy: ours"),
        *("Mean accuracy under corruptions: ours", "Test calibration error: ours", "seeds"),
    )
    assert result_table(measured("robustness")).headings[:2] == ("setting", "measure")

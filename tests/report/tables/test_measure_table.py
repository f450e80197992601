"""The rows of a run's table."""

from supcon.report.tables.measure_table import measure_rows

MEASURES = {
    "test/top1": 0.9, "test/top1_low": 0.85, "test/top1_high": 0.94, "test/ece": 0.05, "test/scaled_ece": 0.02,
    "validation/top1": 0.8, "seconds/stage1": 90.0, "corruptions/mean_top1": 0.4,
}  # fmt: skip


def test_values_intervals_and_scaled_values_are_one_row() -> None:
    rows = {row.measure.name: row for row in measure_rows(MEASURES)}
    assert list(rows) == ["test/top1", "test/ece", "seconds/stage1"]
    accuracy = rows["test/top1"]
    assert accuracy.value.replace("\xa0", " ") == "90.00 %"
    assert accuracy.interval.replace("\xa0", " ") == "85.00 to 94.00 %"
    assert (accuracy.scaled, rows["test/ece"].interval) == ("", "")
    assert rows["test/ece"].scaled.replace("\xa0", " ") == "2.00 %"
    assert "classified correctly" in accuracy.meaning


def test_the_title_says_which_images_were_used() -> None:
    titles = [measure_rows(MEASURES, {"images/tested": tested})[0].measure.title for tested in ("test", "validation")]
    assert titles == ["Test accuracy", "Validation accuracy"]


def test_the_order_stays_when_the_test_images_are_evaluated_again() -> None:
    again = {name: value for name, value in MEASURES.items() if not name.startswith("test/")}
    again |= {name: value for name, value in MEASURES.items() if name.startswith("test/")}
    assert list(again) != list(MEASURES)
    assert measure_rows(again) == measure_rows(MEASURES)

"""The values of an experiment's plot."""

import math
from collections.abc import Sequence
from typing import Any

from supcon.report import Chart, ChartPoint, ChartSeries
from supcon.report.plots.chart import matrix_panels


def chart(kind: Any, points: Sequence[ChartPoint], **values: Any) -> Chart:
    series = [ChartSeries(name="SupCon", points=list(points))]
    return Chart(kind=kind, title="", x_title="", y_title="accuracy", series=series, **({"percent": True} | values))


def point(at: float | str, mean: float = 0.5, deviation: float = 0.01, published: float | None = None) -> ChartPoint:
    return ChartPoint(at=at, mean=mean, deviation=deviation, published=published)


def test_values_are_in_the_unit_of_the_axis() -> None:
    whole = chart("lines", [point(1, 0.7, 0.02, 0.787)])
    assert whole.value_title == "accuracy, %"
    assert (whole.ours(whole.points), whole.deviations(whole.points)) == ([70.0], [2.0])
    assert whole.paper(whole.points) == [78.7]
    ratio = chart("lines", [point(1, 0.7)], percent=False)
    assert (ratio.value_title, ratio.ours(ratio.points)) == ("accuracy", [0.7])


def test_positions_are_numbers_only_if_all_of_them_are() -> None:
    assert chart("lines", [point(1), point(0.5)]).is_numeric
    assert not chart("lines", [point(1), point("none")]).is_numeric
    assert chart("lines", [point(1), point("none"), point(1)]).columns == [1, "none"]


def test_the_note_says_what_error_bars_are_and_which_are_missing() -> None:
    single = point(2, deviation=math.nan)
    assert chart("lines", [single]).note == "A single seed each."
    assert chart("lines", [point(1)]).note == "Error bars: standard deviation over seeds."
    assert chart("bars", [point(1), single]).note.endswith("without one: a single seed.")
    unmeasured = point(3, mean=math.nan, deviation=math.nan)
    assert chart("lines", [point(1), unmeasured]).note == "Error bars: standard deviation over seeds."
    assert "quartiles" in chart("box", [point(1)]).note


def test_a_matrix_has_a_panel_of_the_paper_if_the_paper_has_values() -> None:
    assert list(matrix_panels(chart("matrix", [point("a")]))) == ["ours"]
    both = chart("matrix", [point("a", 0.7, published=0.787), point("b", 0.6)])
    panels = matrix_panels(both)
    assert panels["ours"] == [[70.0, 60.0]]
    assert panels["paper"][0][0] == 78.7
    assert math.isnan(panels["paper"][0][1])
    assert "every panel" in both.note


def test_a_matrix_has_a_gap_where_nothing_is_measured() -> None:
    series = [
        ChartSeries(name="one", points=[point("a", 0.7), point("b", 0.6)]),
        ChartSeries(name="other", points=[point("b", 0.4)]),
    ]
    gap = Chart(kind="matrix", title="", x_title="", y_title="", percent=True, series=series)
    ((first, second),) = matrix_panels(gap).values()
    assert first == [70.0, 60.0]
    assert math.isnan(second[0])
    assert second[1] == 40.0

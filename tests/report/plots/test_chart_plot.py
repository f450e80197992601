"""Charts of experiments on the page."""

import math
from typing import Any

import pytest

from supcon.report import Chart, ChartPoint, ChartSeries, chart_plot


def chart(kind: Any, places: tuple[Any, ...] = (0.1, 0.5, 1.0), deviation: float = 0.01, **values: Any) -> Chart:
    series = [
        ChartSeries(
            name=name,
            points=[
                ChartPoint(at=at, mean=mean + shift, deviation=deviation, published=0.787 if at == places[0] else None)
                for at, mean in zip(places, (0.7, 0.6, 0.5), strict=True)
            ],
        )
        for name, shift in (("SupCon <b>", 0.0), ("Cross-entropy", -0.1))
    ]
    return Chart(
        kind=kind, title="Fig. 4", x_title="temperature", y_title="accuracy", percent=True, series=series, **values
    )


@pytest.mark.parametrize("kind", ["lines", "bars", "box", "matrix"])
def test_every_kind_is_drawn_and_described_in_words(kind: str) -> None:
    plot = chart_plot(chart(kind))
    assert plot.alt.startswith("accuracy, % by temperature. SupCon <b>: 70 at 0.1 (paper: 78.7), 60 at 0.5, 50 at 1.0;")
    assert plot.figure["data"]


def test_the_papers_lines_are_beside_ours() -> None:
    lines = chart_plot(chart("lines")).figure["data"]
    assert [trace["name"] for trace in lines] == [
        "SupCon &lt;b&gt;, ours",
        "SupCon &lt;b&gt;, paper",
        "Cross-entropy, ours",
        "Cross-entropy, paper",
    ]
    assert lines[0]["y"] == [70.0, 60.0, 50.0]
    assert lines[1]["y"] == [78.7, None, None]


def test_bars_lie_so_that_long_names_are_read_and_the_papers_are_beside_ours() -> None:
    paper, ours = chart_plot(chart("bars", ("a", "b", "c"))).figure["data"]
    assert paper["x"][0] == 78.7
    assert ours["x"][:3] == [70.0, 60.0, 50.0]
    assert ours["y"][:3] == ["a", "b", "c"]
    assert ours["text"][0] == "70.0"


def test_without_the_papers_values_bars_are_points() -> None:
    points = [ChartPoint(at=at, mean=mean, deviation=0.01) for at, mean in (("a", 0.7), ("b", 0.6))]
    series = [ChartSeries(name="", points=points)]
    (ours,) = chart_plot(
        Chart(kind="bars", title="", x_title="", y_title="accuracy", percent=True, series=series)
    ).figure["data"]
    assert (ours["type"], ours["x"], ours["y"]) == ("scatter", [70.0, 60.0], ["a", "b"])


def test_ratios_are_on_a_logarithmic_axis_with_a_line_at_one() -> None:
    layout = chart_plot(chart("lines", ratio=True)).figure["layout"]
    assert layout["yaxis"]["type"] == "log"
    assert (layout["shapes"][0]["y0"], layout["shapes"][0]["y1"]) == (1, 1)
    assert "shapes" not in chart_plot(chart("lines")).figure["layout"]


def test_an_axis_of_multiples_is_logarithmic() -> None:
    axis = chart_plot(chart("lines", log_x=True)).figure["layout"]["xaxis"]
    assert (axis["type"], axis["tickvals"]) == ("log", [0.1, 0.5, 1.0])
    assert "type" not in chart_plot(chart("lines")).figure["layout"]["xaxis"]


def test_a_matrix_has_a_panel_for_the_paper_and_a_dash_where_it_has_no_value() -> None:
    paper, ours = chart_plot(chart("matrix", ("a", "b", "c"))).figure["data"]
    assert paper["z"][0] == [78.7, None, None]
    assert paper["text"][0] == ["78.7", "–", "–"]
    assert ours["z"][1] == [60.0, 50.0, 40.0]
    assert (paper["yaxis"], ours["yaxis"]) == ("y", "y2")


def test_a_single_seed_has_no_error_bar() -> None:
    """plotly.js draws a bar of length 0 for null."""
    first = chart_plot(chart("lines", deviation=math.nan)).figure["data"][0]
    assert first["error_y"]["array"] == ["one seed"] * 3

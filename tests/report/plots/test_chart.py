"""Charts of experiments: for the page and as SVG."""

import math
from typing import Any
from xml.etree import ElementTree

import pytest

from supcon.report import Chart, ChartPoint, ChartSeries, chart_plot, chart_svg


def chart(kind: Any, places: tuple[Any, ...] = (0.1, 0.5, 1.0)) -> Chart:
    series = [
        ChartSeries(
            name=name,
            points=[
                ChartPoint(at=at, mean=mean + shift, deviation=0.01, published=0.787 if at == places[0] else None)
                for at, mean in zip(places, (0.7, 0.6, 0.5), strict=True)
            ],
        )
        for name, shift in (("SupCon <b>", 0.0), ("Cross-entropy", -0.1))
    ]
    return Chart(kind=kind, title="Fig. 4", x_title="temperature", y_title="accuracy", percent=True, series=series)


@pytest.mark.parametrize("kind", ["lines", "bars", "box", "matrix"])
def test_every_kind_is_drawn_for_page_and_file(kind: str) -> None:
    plot = chart_plot(chart(kind))
    assert "SupCon" in plot.alt
    assert plot.figure["data"]
    text = chart_svg(chart(kind))
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert text == chart_svg(chart(kind)), "the same values give the same file"


def test_the_papers_figure_is_beside_ours() -> None:
    lines = chart_plot(chart("lines")).figure["data"]
    assert [trace["name"] for trace in lines] == [
        "SupCon &lt;b&gt;",
        "SupCon &lt;b&gt; (paper)",
        "Cross-entropy",
        "Cross-entropy (paper)",
    ]
    assert lines[0]["y"] == [70.0, 60.0, 50.0]
    assert lines[1]["y"] == [78.7, None, None]
    paper, ours = chart_plot(chart("bars", ("a", "b", "c"))).figure["data"]
    assert paper["y"][0] == 78.7
    assert ours["y"][:3] == [70.0, 60.0, 50.0]


def test_a_matrix_has_a_gap_where_nothing_is_measured() -> None:
    whole = chart("matrix", ("a", "b", "c"))
    part = ChartSeries(name="other", points=whole.series[1].points[:2])
    gap = Chart(kind="matrix", title="", x_title="", y_title="", percent=True, series=[whole.series[0], part])
    (trace,) = chart_plot(gap).figure["data"]
    assert trace["z"][1] == [60.0, 50.0, None]
    assert "–" not in chart_svg(whole)


def test_a_single_seed_has_no_spread() -> None:
    one = ChartSeries(name="x", points=[ChartPoint(at=1, mean=0.5, deviation=math.nan)])
    lines = Chart(kind="lines", title="", x_title="", y_title="", percent=False, series=[one])
    (trace,) = chart_plot(lines).figure["data"]
    assert trace["error_y"]["array"] == [0]
    assert chart_svg(lines)

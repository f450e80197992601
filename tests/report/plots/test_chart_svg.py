"""Charts as SVG files."""

import math
from typing import Any
from xml.etree import ElementTree

import pytest

from supcon.report import Chart, ChartPoint, ChartSeries, chart_svg


def chart(kind: Any, deviation: float = 0.01) -> Chart:
    points = [ChartPoint(at=at, mean=mean, deviation=deviation, published=0.787) for at, mean in ((0.1, 0.7), (1, 0.5))]
    series = [ChartSeries(name="SupCon <b>", points=points)]
    return Chart(kind=kind, title="Fig. 4", x_title="temperature", y_title="accuracy", percent=True, series=series)


@pytest.mark.parametrize("kind", ["lines", "bars", "box", "matrix"])
@pytest.mark.parametrize("deviation", [0.01, math.nan])
def test_the_same_values_give_the_same_valid_file(kind: str, deviation: float) -> None:
    text = chart_svg(chart(kind, deviation))
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert text == chart_svg(chart(kind, deviation))
    assert "nan" not in text.lower()

"""Charts as SVG files."""

import math
from typing import Any
from xml.etree import ElementTree

import pytest

from supcon.report import Chart, ChartPoint, ChartSeries, chart_svg


def chart(kind: Any, deviation: float = 0.01, published: float | None = 0.787, ratio: bool = False) -> Chart:
    points = [
        ChartPoint(at=at, mean=mean, deviation=deviation, published=published) for at, mean in ((0.1, 0.7), (1, 0.5))
    ]
    series = [ChartSeries(name="SupCon <b>", points=points)]
    return Chart(
        kind=kind, title="Fig. 4", x_title="temperature", y_title="accuracy", percent=True, series=series, ratio=ratio
    )


@pytest.mark.parametrize("kind", ["lines", "bars", "box", "matrix"])
@pytest.mark.parametrize("deviation", [0.01, math.nan])
@pytest.mark.parametrize("published", [0.787, None])
def test_the_same_values_give_the_same_valid_file(kind: str, deviation: float, published: float | None) -> None:
    text = chart_svg(chart(kind, deviation, published))
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert text == chart_svg(chart(kind, deviation, published))
    assert "nan" not in text.lower()


def axes_of(drawn: Chart, monkeypatch: pytest.MonkeyPatch) -> Any:
    """matplotlib's axes of a chart."""
    from matplotlib.figure import Figure

    figures: list[Figure] = []
    monkeypatch.setattr(Figure, "savefig", lambda self, *args, **options: figures.append(self))
    chart_svg(drawn)
    return figures[0].axes[0]


def test_bars_begin_at_zero_and_points_near_their_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the paper's values there are bars; without them points show differences of less than a point."""
    assert axes_of(chart("bars"), monkeypatch).get_xlim()[0] == 0
    low, high = axes_of(chart("bars", published=None), monkeypatch).get_xlim()
    assert 40 < low < 49
    assert 71 < high < 80


def test_ratios_are_on_a_logarithmic_axis_with_a_line_at_one(monkeypatch: pytest.MonkeyPatch) -> None:
    axes = axes_of(chart("lines", ratio=True), monkeypatch)
    assert axes.get_yscale() == "log"
    assert [1, 1] in [list(line.get_ydata()) for line in axes.get_lines()]
    assert axes_of(chart("lines"), monkeypatch).get_yscale() == "linear"


def test_a_single_seed_has_no_error_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(axes_of(chart("bars"), monkeypatch).containers) == 4
    assert len(axes_of(chart("bars", math.nan), monkeypatch).containers) == 2

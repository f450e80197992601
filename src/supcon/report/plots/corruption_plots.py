"""Results on corrupted images: by corruption and severity, and the curves over severities."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from supcon.report.plots.figure import Plot, Trace, axis, figure, numbers
from supcon.report.run_results import RunResults
from supcon.report.tables.measure_names import percent


@dataclass(frozen=True, kw_only=True)
class CorruptionRow:
    """One corruption: a value for each severity, NaN if it was not evaluated."""

    name: str
    accuracy: list[float]
    calibration: list[float]
    corruption_error: float

    @property
    def title(self) -> str:
        return self.name.replace("_", " ").capitalize().replace("Jpeg", "JPEG")

    @property
    def mean_accuracy(self) -> float:
        return float(np.nanmean(self.accuracy))

    @property
    def mean_calibration(self) -> float:
        return float(np.nanmean(self.calibration))


@dataclass(frozen=True, kw_only=True)
class Corruptions:
    """All results on corrupted images that a page shows."""

    severities: list[int]
    rows: list[CorruptionRow]
    clean: tuple[float, float]
    """Accuracy and calibration error on the clean images."""
    means: dict[str, list[float]]
    """`top1` and `ece`: the mean over corruptions, for each severity."""
    mce: float
    relative_mce: float
    made_of: str
    baseline: str

    @property
    def has_unit(self) -> bool:
        return bool(self.baseline)


def corruptions(measures: Mapping[str, float], remarks: Mapping[str, str]) -> Corruptions | None:
    """The metrics on corrupted images; None if there are none."""
    single = [name.split("/") for name in measures if name.startswith("corruptions/") and name.count("/") == 3]
    if not single:
        return None
    severities = sorted({int(path[2]) for path in single})
    nan = float("nan")

    def values(name: str, measure: str) -> list[float]:
        return [measures.get(f"corruptions/{name}/{severity}/{measure}", nan) for severity in severities]

    return Corruptions(
        severities=severities,
        rows=[
            CorruptionRow(
                name=name,
                accuracy=values(name, "top1"),
                calibration=values(name, "ece"),
                corruption_error=measures.get(f"corruptions/{name}/ce", nan),
            )
            for name in dict.fromkeys(path[1] for path in single)
        ],
        clean=(measures.get("test/top1", nan), measures.get("test/ece", nan)),
        means={
            measure: [measures.get(f"corruptions/severity_{s}/mean_{measure}", nan) for s in severities]
            for measure in ("top1", "ece")
        },
        mce=measures.get("corruptions/mce", nan),
        relative_mce=measures.get("corruptions/relative_mce", nan),
        made_of=remarks.get("corruptions/set", ""),
        baseline=remarks.get("corruptions/baseline", ""),
    )


def corruptions_of(results: RunResults) -> Corruptions | None:
    return corruptions(results.measures, results.remarks)


def severity_plots(found: Corruptions) -> list[Plot]:
    """Accuracy and calibration error by severity: the mean in front, every corruption behind it."""
    return [_severity_plot(found, 0, "Accuracy", "top1"), _severity_plot(found, 1, "Calibration error", "ece")]


def _severity_plot(found: Corruptions, place: int, title: str, measure: str) -> Plot:
    severities, clean = [0, *found.severities], found.clean[place]
    lines = [_line(row.title, severities, [clean, *_of(row, measure)], behind=True) for row in found.rows]
    mean = [clean, *found.means[measure]]
    lines.append(_line("mean", severities, mean, behind=False))
    values = ", ".join(
        f"{percent(value)} at severity {severity}" for severity, value in zip(severities, mean, strict=True)
    )
    return Plot(
        title=f"{title} by severity",
        alt=f"{title}, mean over {len(found.rows)} corruptions: {values}.",
        figure=figure(
            lines,
            xaxis=axis("severity (0: clean images)", tickvals=severities),
            yaxis=axis("", ticksuffix=" %", rangemode="tozero"),
            showlegend=False,
        ),
    )


def _of(row: CorruptionRow, measure: str) -> list[float]:
    return row.accuracy if measure == "top1" else row.calibration


def _line(name: str, severities: list[int], values: list[float], *, behind: bool) -> Trace:
    return {
        "type": "scatter",
        "mode": "lines" if behind else "lines+markers",
        "name": name,
        "x": severities,
        "y": numbers([100 * value for value in values]),
        "line": {"color": "var(--second)" if behind else "var(--accent)", "width": 1 if behind else 3},
        "opacity": 0.55 if behind else 1,
        "hovertemplate": "%{y:.1f} %",
    }


def heat_plots(found: Corruptions) -> list[Plot]:
    """Accuracy and calibration error of every corruption at every severity, as heatmaps with values."""
    return [
        _heat_plot(found, "Accuracy", [row.accuracy for row in found.rows], good_is_high=True),
        _heat_plot(found, "Calibration error", [row.calibration for row in found.rows], good_is_high=False),
    ]


def _heat_plot(found: Corruptions, title: str, values: list[list[float]], *, good_is_high: bool) -> Plot:
    shares = [numbers([100 * value for value in row]) for row in values]
    ends = ("var(--wrong-0)", "var(--wrong-1)") if not good_is_high else ("var(--right-0)", "var(--right-1)")
    names = [row.title for row in found.rows]
    trace: Trace = {
        "type": "heatmap",
        "x": [str(severity) for severity in found.severities],
        "y": names,
        "z": shares,
        "zmin": 0,
        "zmax": 100 if good_is_high else max(20.0, max(value for row in shares for value in row if value is not None)),
        "colorscale": [[0, ends[0]], [1, ends[1]]],
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        "texttemplate": "%{z:.0f}",
        "textfont": {"color": "var(--ink)"},
        "hovertemplate": "%{y}, severity %{x}: %{z:.1f} %<extra></extra>",
    }
    return Plot(
        title=f"{title} in percent, by corruption and severity",
        alt=f"{title} of {len(names)} corruptions at severities {', '.join(map(str, found.severities))}; the table "
        "below has the values.",
        figure=figure(
            [trace],
            xaxis=axis("severity", type="category", showgrid=False),
            yaxis=axis("", autorange="reversed", showgrid=False),
            margin={"l": 120, "r": 14, "t": 10, "b": 44},
        ),
    )

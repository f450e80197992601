"""The data of an experiment's plots; does not import torch."""

from collections.abc import Sequence

from supcon.experiments.experiment import OURS, Experiment
from supcon.experiments.results import Results, Row
from supcon.report import Chart, ChartPoint, ChartSeries, describe

_SEVERITIES = ("test/{}", *(f"corruptions/severity_{severity}/mean_{{}}" for severity in range(1, 6)))
_BY_SEVERITY = {"top1": "Accuracy", "ece": "Calibration error"}
"""Quantities that are plotted over severities, with titles that hold for clean and for corrupted images."""
_LOGARITHMIC = ("temperature", "batch size")
"""Quantities that are tried in multiples: their axes are logarithmic."""


def charts_of(results: Results) -> list[Chart]:
    """The plot of an experiment; for lines over severities or epochs, one plot per quantity."""
    experiment, measured = results.experiment, [row for row in results.rows if row.cells]
    if not measured:
        return []
    measures = experiment.measures(results.request.scale)
    if experiment.chart == "severity":
        short = dict.fromkeys(name.rpartition("/")[2].removeprefix("mean_") for name in measures)
        return [_by_severity(experiment, measured, quantity) for quantity in short if quantity in _BY_SEVERITY]
    if experiment.chart == "training":
        return [_over_epochs(experiment, measured, measure) for measure in measures]
    measure = describe(measures[0])
    lines: dict[str, list[Row]] = {}
    for row in _distinct(measured) if experiment.chart == "box" else measured:
        lines.setdefault(row.setting.line or row.setting.name, []).append(row)
    return [
        Chart(
            kind=experiment.chart,
            title=_title(experiment, experiment.name),
            x_title=experiment.axis,
            y_title=measure.title,
            percent=measure.kind == "share",
            series=[_series(experiment, line, rows, measure.name) for line, rows in lines.items()],
            log_x=experiment.axis in _LOGARITHMIC,
        )
    ]


def _distinct(rows: Sequence[Row]) -> list[Row]:
    """Rows of the same cells once, so that a box has the sample of the test of spreads."""
    found: dict[tuple[str, ...], Row] = {}
    for row in rows:
        found.setdefault(tuple(cell.key for cell in row.cells), row)
    return list(found.values())


def _title(experiment: Experiment, words: str) -> str:
    return words if experiment.where == OURS else f"{experiment.where}: {words}"


def _series(experiment: Experiment, line: str, rows: Sequence[Row], measure: str) -> ChartSeries:
    points = []
    for row in rows:
        # Bars of different lines are in one column, where only the whole name tells them apart.
        unplaced = experiment.chart == "bars" or row.setting.at == ""
        points.append(_point(row, row.setting.name if unplaced else row.setting.at, measure))
    return ChartSeries(name=line, points=points)


def _point(row: Row, at: float | str, measure: str) -> ChartPoint:
    published = row.setting.published.get(measure)
    return ChartPoint(at=at, mean=row.mean(measure), deviation=row.deviation(measure), published=published)


def _by_severity(experiment: Experiment, rows: Sequence[Row], quantity: str) -> Chart:
    names = {
        "0 (clean)" if severity == 0 else str(severity): name.format(quantity)
        for severity, name in enumerate(_SEVERITIES)
    }
    series = [
        ChartSeries(name=row.setting.name, points=[_point(row, at, name) for at, name in names.items()]) for row in rows
    ]
    title = _BY_SEVERITY[quantity]
    return Chart(
        kind="lines",
        title=_title(experiment, f"{title.lower()} by severity of corruption"),
        x_title="severity of corruption",
        y_title=title,
        percent=True,
        series=series,
    )


def _over_epochs(experiment: Experiment, rows: Sequence[Row], measure: str) -> Chart:
    """A ratio such as `gradients/positives_hard_to_easy` over the epochs, from `gradients/epoch_12/...`."""
    family, _, last = measure.rpartition("/")
    series = []
    for row in rows:
        parts = [name.split("/") for name in row.cells[0].measures]
        epochs = sorted(
            int(part[1].removeprefix("epoch_"))
            for part in parts
            if len(part) == 3 and part[0] == family and part[2] == last
        )
        points = [_point(row, epoch, f"{family}/epoch_{epoch}/{last}") for epoch in epochs]
        series.append(ChartSeries(name=row.setting.name, points=points))
    title = describe(measure).title
    return Chart(
        kind="lines",
        title=_title(experiment, title[:1].lower() + title[1:]),
        x_title="epoch of stage 1",
        y_title=title,
        percent=False,
        series=series,
        ratio=True,
    )

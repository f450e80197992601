"""The data of an experiment's plots; does not import torch."""

from collections.abc import Sequence

from supcon.experiments.results import Results, Row
from supcon.report import Chart, ChartPoint, ChartSeries, describe

_SEVERITIES = ("test/{}", *(f"corruptions/severity_{severity}/mean_{{}}" for severity in range(1, 6)))


def charts_of(results: Results) -> list[Chart]:
    """The plot of an experiment; for lines over severities, one plot per quantity."""
    experiment, measured = results.experiment, [row for row in results.rows if row.cells]
    if not measured:
        return []
    measures = experiment.measures(results.request.scale)
    if experiment.chart == "severity":
        short = dict.fromkeys(name.rpartition("/")[2].removeprefix("mean_") for name in measures)
        return [_by_severity(measured, quantity) for quantity in short if quantity in ("top1", "ece")]
    if experiment.chart == "training":
        return [_over_epochs(measured, measure) for measure in measures]
    measure = describe(measures[0])
    lines: dict[str, list[Row]] = {}
    for row in measured:
        lines.setdefault(row.setting.line or row.setting.name, []).append(row)
    series = [_series(line, rows, measure.name) for line, rows in lines.items()]
    return [
        Chart(
            kind=experiment.chart,
            title=f"{experiment.where}: {experiment.name}",
            x_title=experiment.axis,
            y_title=measure.title,
            percent=measure.kind == "share",
            series=series,
        )
    ]


def _series(line: str, rows: Sequence[Row], measure: str) -> ChartSeries:
    return ChartSeries(
        name=line,
        points=[
            ChartPoint(
                at=row.setting.at if row.setting.at != "" else row.setting.name,
                mean=row.mean(measure),
                deviation=row.deviation(measure),
                published=row.setting.published.get(measure),
            )
            for row in rows
        ],
    )


def _by_severity(rows: Sequence[Row], quantity: str) -> Chart:
    names = [name.format(quantity) for name in _SEVERITIES]
    measure = describe(names[0])
    series = [
        ChartSeries(
            name=row.setting.name,
            points=[
                ChartPoint(
                    at=severity,
                    mean=row.mean(name),
                    deviation=row.deviation(name),
                    published=row.setting.published.get(name),
                )
                for severity, name in enumerate(names)
            ],
        )
        for row in rows
    ]
    return Chart(
        kind="lines",
        title=f"{measure.title} by severity of corruption",
        x_title="severity (0: clean test images)",
        y_title=measure.title,
        percent=True,
        series=series,
    )


def _over_epochs(rows: Sequence[Row], measure: str) -> Chart:
    """A measure such as `gradients/positives` over the epochs, from `gradients/epoch_12/positives` and the like."""
    family, _, last = measure.rpartition("/")
    series = []
    for row in rows:
        parts = [name.split("/") for name in row.cells[0].measures]
        epochs = sorted(
            int(part[1].removeprefix("epoch_"))
            for part in parts
            if len(part) == 3 and part[0] == family and part[2] == last
        )
        names = [f"{family}/epoch_{epoch}/{last}" for epoch in epochs]
        points = [
            ChartPoint(at=epoch, mean=row.mean(name), deviation=row.deviation(name))
            for epoch, name in zip(epochs, names, strict=True)
        ]
        series.append(ChartSeries(name=row.setting.name, points=points))
    title = describe(measure).title
    return Chart(kind="lines", title=title, x_title="epoch of stage 1", y_title=title, percent=False, series=series)

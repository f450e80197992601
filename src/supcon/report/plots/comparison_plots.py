"""Plots that show several groups of runs together."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from supcon.evaluation import confusion_matrix, reliability_bins
from supcon.report.plots.curves import Series, curve_plot, metric_title, quantity
from supcon.report.plots.figure import Plot, axis, figure, label, numbers, run_colour, shorten
from supcon.report.plots.reliability import reliability_plot
from supcon.report.tables.pooling import RunGroup

DASHES = ("solid", "dot", "dash", "dashdot")
CLASSES_SHOWN = 30


def overlaid_curves(groups: Sequence[RunGroup], stage: str) -> list[Plot]:
    """A stage's curves of all groups: a colour per group, a dash per metric, a line per run.

    In stage 1 every method has its own plot of the loss, because losses of different methods have different scales.
    """
    metrics = dict.fromkeys(metric for group in groups for metric in group.first.curves.get(stage, {}))
    plots: dict[str, list[Series]] = {}
    for index, group in enumerate(groups):
        for metric in (metric for metric in metrics if quantity(metric) in ("loss", "accuracy")):
            plots.setdefault(_scale(group, stage, metric), []).extend(_lines(group, index, stage, metric, [*metrics]))
    return [
        curve_plot(name, lines)
        for name, lines in sorted(plots.items(), key=lambda item: item[0] != "accuracy")
        if lines
    ]


def _scale(group: RunGroup, stage: str, metric: str) -> str:
    name = quantity(metric)
    return f"Loss of {group.first.method}" if name == "loss" and stage == "stage1" and group.first.method else name


def _lines(group: RunGroup, index: int, stage: str, metric: str, metrics: list[str]) -> list[Series]:
    same_plot = [other for other in metrics if quantity(other) == quantity(metric)]
    return [
        Series(
            name=f"{shorten(group.title, 24)}: {metric_title(metric)}",
            curve=run.curves[stage][metric],
            colour=run_colour(index),
            dash=DASHES[same_plot.index(metric) % len(DASHES)],
            group=f"{index} {metric}",
        )
        for run in group.runs
        if metric in run.curves.get(stage, {})
    ]


def pooled_reliability(group: RunGroup) -> Plot:
    """The reliability diagram over all predictions of all runs of a group."""
    probabilities = np.concatenate([run.outputs.probabilities for run in group.runs])
    labels = np.concatenate([run.outputs.labels for run in group.runs])
    plot = reliability_plot(reliability_bins(probabilities, labels))
    return Plot(title=group.title, alt=f"{group.title}: {plot.alt}", figure=plot.figure)


def class_accuracy(group: RunGroup) -> Float[np.ndarray, " class"]:
    """The accuracy of every class, over all runs of a group; NaN for a class without test images."""
    matrix = np.sum([confusion_matrix(run.outputs.probabilities, run.outputs.labels) for run in group.runs], axis=0)
    totals = matrix.sum(axis=1)
    return np.where(totals > 0, np.diag(matrix) / np.maximum(totals, 1), np.nan)


def class_difference_plot(groups: Sequence[RunGroup], names: Sequence[str]) -> Plot:
    """Accuracy of the other groups minus that of the first, by class; of many classes those that differ most."""
    accuracy = np.stack([class_accuracy(group) for group in groups])
    difference = 100 * (accuracy[1:] - accuracy[0])
    size = np.nan_to_num(np.abs(difference)).max(axis=0)
    shown = np.sort(np.argsort(-size, kind="stable")[:CLASSES_SHOWN])
    reach = 1.1 * max(float(size.max()), 1.0)
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": label(group.title, 40),
            "y": list(range(len(shown))),
            "x": numbers(difference[index, shown]),
            "marker": {"color": run_colour(index + 1)},
            "hovertemplate": "%{x:+.1f} points",
        }
        for index, group in enumerate(groups[1:])
    ]
    rows = {"tickvals": list(range(len(shown))), "ticktext": [label(names[c]) for c in shown], "autorange": "reversed"}
    first = groups[0].title
    return Plot(
        title=f"Accuracy by class, relative to {first}",
        alt=f"Bars for {len(shown)} classes: by how many points the accuracy of the other runs differs from {first}.",
        figure=figure(
            data,
            xaxis=axis("points of accuracy", zeroline=True, zerolinecolor="var(--soft)", range=[-reach, reach]),
            yaxis=axis("", **rows, showgrid=False),
            showlegend=True,
        ),
    )

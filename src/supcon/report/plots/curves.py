"""Loss and accuracy over training, with a line at the loss of a collapsed encoder."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Any

import numpy as np

from supcon.report.plots.figure import Plot, Trace, axis, figure, label, numbers
from supcon.report.run_results import Curve
from supcon.report.tables.settings import setting

CONTRASTIVE = ("supcon", "supcon-in", "simclr", "n-pairs", "joint")
ACCURACIES = {"top1": "top-1", "top5": "top-5", "knn_top1": "k-NN", "knn_map": "k-NN mean average precision"}
SIMILARITIES = {"positive_similarity": "positives", "negative_similarity": "negatives"}
TITLES = {
    "loss": "Loss",
    "accuracy": "Accuracy",
    "similarity": "Mean similarity of projections",
    "alignment": "Alignment: mean squared distance of positives",
    "uniformity": "Uniformity: lower is more uniform",
    "gradient_norm": "Gradient norm",
    "lr": "Learning rate",
    "seconds": "Seconds per epoch",
    "images_per_second": "Images per second",
}
DASHES = ("solid", "dash", "dashdot")
FEW_POINTS = 12


@dataclass(frozen=True, kw_only=True, eq=False)
class Series:
    """One line of a plot."""

    name: str
    curve: Curve
    colour: str
    dash: str = "solid"
    group: str = ""
    """Lines of one group share one legend entry."""


def collapse_loss(recipe: Mapping[str, Any]) -> float | None:
    """The contrastive loss if all embeddings are equal: log(rows − 1), by Eq. 1, 2 and 3 with all rows in A(i).

    The rows of a queue count too, and the loss is multiplied by its rescaling factor. None if the method has no such
    value, or if rows are left out of A(i).

    >>> round(collapse_loss({"method": "supcon", "views": {"count": 2}, "stage1": {"batch_size": 256}}), 3)
    6.236
    """
    batch, views = setting(recipe, "stage1.batch_size"), setting(recipe, "views.count")
    if recipe.get("method") not in CONTRASTIVE or setting(recipe, "loss.denominator") not in (None, "all"):
        return None
    if setting(recipe, "loss.max_positives") is not None:
        return None
    if not isinstance(batch, int) or not isinstance(views, int) or batch * views < 3:
        return None
    queued = setting(recipe, "loss.queue_size") or 0
    return math.log(batch * views - 1 + queued) * _rescale(recipe)


def _rescale(recipe: Mapping[str, Any]) -> float:
    rescale, temperature = setting(recipe, "loss.rescale"), setting(recipe, "loss.temperature")
    if rescale in (None, "none") or not isinstance(temperature, int | float):
        return 1.0
    return float(temperature) if rescale == "temperature" else float(temperature) / float(rescale)


def quantity(metric: str) -> str:
    """The plot that a metric belongs to: all accuracies share one, and so do the similarities.

    >>> quantity("train/loss"), quantity("validation/knn_top1")
    ('loss', 'accuracy')
    """
    last = metric.rsplit("/", 1)[-1]
    if last in SIMILARITIES:
        return "similarity"
    return "accuracy" if last in ACCURACIES or last.endswith("accuracy") else last


def metric_title(metric: str) -> str:
    """A metric's name as shown in a legend.

    >>> metric_title("validation/knn_top1")
    'validation, k-NN'
    """
    split, _, last = metric.rpartition("/")
    if last in SIMILARITIES:
        return SIMILARITIES[last]
    if quantity(metric) != "accuracy":
        return split or last
    return ", ".join(part for part in (split, ACCURACIES.get(last, last)) if part)


def stage_plots(curves: Mapping[str, Curve], collapse: float | None = None) -> list[Plot]:
    """A stage's plots: loss, accuracy, the other metrics in the order of `TITLES`, then all others that were logged."""
    series: dict[str, list[Series]] = {name: [] for name in TITLES}
    for metric, curve in curves.items():
        lines = series.setdefault(quantity(metric), [])
        lines.append(Series(name=metric_title(metric), curve=curve, colour="var(--accent)"))
    return [
        curve_plot(name, _styled(lines), collapse if name == "loss" else None)
        for name, lines in series.items()
        if any(len(line.curve.values) for line in lines)
    ]


def _styled(lines: Sequence[Series]) -> list[Series]:
    """Metrics on training images are dotted and grey, metrics on held-out images have the accent colour."""
    held_out = [line for line in lines if not line.name.startswith("train")] or list(lines)
    dashes = cycle(DASHES)
    return [
        replace(line, dash=next(dashes)) if line in held_out else replace(line, colour="var(--second)", dash="dot")
        for line in lines
    ]


def curve_plot(name: str, series: Sequence[Series], collapse: float | None = None) -> Plot:
    """Curves of one quantity."""
    scale, suffix = (100, " %") if name == "accuracy" else (1, "")
    data = [_trace(line, scale, suffix) for line in series]
    for trace, line in zip(data, series, strict=True):
        # Only the first line of a group is in the legend.
        trace["showlegend"] = not line.group or next(other for other in series if other.group == line.group) is line
    layout: dict[str, Any] = {}
    if collapse is not None:
        data.append(_collapse_trace(series, collapse))
        layout["annotations"] = [_collapse_note(collapse)]
    title = TITLES.get(name, name)
    return Plot(
        title=title,
        alt=f"{title} over epochs. " + " ".join(_in_words(line, scale, suffix) for line in series),
        figure=figure(
            data, xaxis=axis("epoch", rangemode="tozero"), yaxis=axis("", ticksuffix=suffix), showlegend=True, **layout
        ),
    )


def _trace(line: Series, scale: int, suffix: str) -> Trace:
    trace: Trace = {
        "type": "scatter",
        "mode": "lines+markers" if len(line.curve.values) <= FEW_POINTS else "lines",
        "name": label(line.name, 40),
        "x": numbers(line.curve.epochs),
        "y": numbers(scale * np.asarray(line.curve.values, dtype=np.float64)),
        "line": {"color": line.colour, "width": 2, "dash": line.dash},
        "hovertemplate": f"epoch %{{x}}: %{{y:.4~g}}{suffix}",
    }
    return trace | ({"legendgroup": line.group} if line.group else {})


def _collapse_trace(series: Sequence[Series], collapse: float) -> Trace:
    epochs = np.concatenate([np.asarray(line.curve.epochs, dtype=np.float64) for line in series])
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "collapsed",
        "x": numbers([0, epochs.max()]),
        "y": numbers([collapse, collapse]),
        "line": {"color": "var(--warn)", "width": 1.5, "dash": "longdash"},
        "hovertemplate": "all embeddings equal: %{y:.4~g}",
        "showlegend": False,
    }


def _collapse_note(collapse: float) -> dict[str, Any]:
    return {
        "text": f"collapsed: {collapse:.2f}",
        "x": 1,
        "xref": "paper",
        "xanchor": "right",
        "y": collapse,
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"color": "var(--warn)", "size": 12},
    }


def _in_words(line: Series, scale: int, suffix: str) -> str:
    finite = np.isfinite(line.curve.values)
    if not finite.any():
        return f"{line.name}: no value."
    values, epochs = scale * np.asarray(line.curve.values)[finite], np.asarray(line.curve.epochs)[finite]
    first, last = (f"{values[place]:.4g}{suffix} at epoch {epochs[place]:g}" for place in (0, -1))
    return f"{line.name}: from {first} to {last}."

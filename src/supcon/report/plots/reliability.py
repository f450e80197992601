"""The reliability diagram: accuracy by confidence (Guo et al., 2017)."""

from typing import Any

import numpy as np
from jaxtyping import Float

from supcon.evaluation import ReliabilityBins
from supcon.report.plots.figure import Plot, Trace, axis, figure, numbers
from supcon.report.tables.measure_names import percent

FEW_IMAGES = 10


def calibration_in_words(bins: ReliabilityBins) -> str:
    """A sentence that says whether the classifier is overconfident, underconfident or neither, if the data show it."""
    gap = bins.overconfidence
    if abs(gap) < 0.005:
        return "Its mean confidence matches its accuracy."
    where, verdict = ("above", "overconfident") if gap > 0 else ("below", "underconfident")
    found, chance = f"Its mean confidence is {100 * abs(gap):.1f} points {where} its accuracy", _gap_by_chance(bins)
    if abs(gap) > chance:
        return f"{found}: it is {verdict}."
    return (
        f"{found}: with {int(bins.counts.sum()):,} images up to {100 * chance:.1f} points are chance, so they do not "
        f"tell whether it is {verdict}."
    )


def _gap_by_chance(bins: ReliabilityBins) -> float:
    """The gap that 95 % of the draws of as many images stay below if every confidence is the true probability."""
    confidence = bins.confidence.clip(0, 1)
    variance = (bins.counts * confidence * (1 - confidence)).sum() / max(bins.counts.sum(), 1) ** 2
    return float(1.96 * np.sqrt(variance))


def reliability_plot(bins: ReliabilityBins) -> Plot:
    """Accuracy by confidence in the upper panel, the number of images of each bin in the lower one."""
    count = len(bins.counts)
    centres = 100 * (np.arange(count) + 0.5) / count
    xaxis: dict[str, Any] = {"range": [0, 100], "tickvals": [0, 20, 40, 60, 80, 100], "ticksuffix": " %"}
    return Plot(
        title="Reliability diagram",
        alt=f"Reliability diagram with {count} bins: calibration error {percent(bins.error, 2)}. "
        + calibration_in_words(bins),
        figure=figure(
            [_ideal(), _accuracy(bins, centres), _gap(bins, centres), _images(bins, centres)],
            xaxis=axis("", **xaxis, anchor="y", showticklabels=False),
            yaxis=axis("accuracy", range=[0, 102], ticksuffix=" %", domain=[0.3, 1]),
            xaxis2=axis("confidence", **xaxis, anchor="y2", matches="x"),
            yaxis2=axis(
                "images", type="log", domain=[0, 0.2], dtick=1, range=[-0.3, np.log10(max(bins.counts.max(), 1)) + 0.2]
            ),
            margin={"l": 56, "r": 26, "t": 34, "b": 44},
            barmode="overlay",
            bargap=0.06,
        ),
    )


def _ideal() -> Trace:
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "perfect calibration",
        "x": [0, 100],
        "y": [0, 100],
        "line": {"color": "var(--soft)", "width": 1.5, "dash": "dot"},
        "hoverinfo": "skip",
    }


def _accuracy(bins: ReliabilityBins, centres: np.ndarray) -> Trace:
    return {
        "type": "bar",
        "name": "accuracy",
        "x": numbers(centres),
        "y": numbers(100 * _unless_empty(bins, bins.accuracy)),
        "marker": {"color": "var(--bar)", "opacity": _opacity(bins)},
        "hovertext": _hover(bins),
        "hoverinfo": "text",
    }


def _gap(bins: ReliabilityBins, centres: np.ndarray) -> Trace:
    """The gap between the accuracy and the confidence of every bin."""
    return {
        "type": "bar",
        "name": "gap to confidence",
        "x": numbers(centres),
        "base": numbers(100 * _unless_empty(bins, bins.accuracy)),
        "y": numbers(100 * _unless_empty(bins, bins.confidence - bins.accuracy)),
        "marker": {
            "color": "rgba(0,0,0,0)",
            "line": {"color": "var(--warn)", "width": 1.5},
            "pattern": {
                "shape": "/",
                "fgcolor": "var(--warn)",
                "bgcolor": "rgba(0,0,0,0)",
                "size": 7,
                "solidity": 0.25,
            },
            "opacity": _opacity(bins),
        },
        "hoverinfo": "skip",
    }


def _images(bins: ReliabilityBins, centres: np.ndarray) -> Trace:
    return {
        "type": "bar",
        "name": "images",
        "x": numbers(centres),
        "y": bins.counts.tolist(),
        "xaxis": "x2",
        "yaxis": "y2",
        "marker": {"color": "var(--second)"},
        "hovertext": _hover(bins),
        "hoverinfo": "text",
        "showlegend": False,
    }


def _unless_empty(bins: ReliabilityBins, values: Float[np.ndarray, " bin"]) -> Float[np.ndarray, " bin"]:
    """The values, NaN for empty bins, which are then not drawn."""
    return np.where(bins.counts > 0, values, np.nan)


def _opacity(bins: ReliabilityBins) -> list[float]:
    """Bins of few images are drawn faintly, because their accuracy is uncertain."""
    return [1.0 if images >= FEW_IMAGES else 0.45 for images in bins.counts.tolist()]


def _hover(bins: ReliabilityBins) -> list[str]:
    return [
        f"{images} images<br>confidence {percent(confidence)}, accuracy {percent(accuracy)}"
        for images, confidence, accuracy in zip(*bins, strict=True)
    ]

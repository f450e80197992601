"""Whether the confidence of a prediction is how often such predictions are right."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from supcon.report.plots.figure import Plot, Trace, axis, figure, numbers
from supcon.report.tables.measure_names import percent

BINS = 15
FEW_IMAGES = 10


@dataclass(frozen=True, kw_only=True, eq=False)
class Reliability:
    """Test images in equally wide bins of confidence (Guo et al., 2017); NaN where a bin is empty."""

    images: Int[np.ndarray, " bin"]
    accuracy: Float[np.ndarray, " bin"]
    confidence: Float[np.ndarray, " bin"]

    @property
    def error(self) -> float:
        """The expected calibration error: |accuracy − confidence| of the bins, weighted by their images."""
        gaps = np.abs(self.accuracy - self.confidence)
        return float(np.nansum(gaps * self.images) / max(self.images.sum(), 1))

    @property
    def surplus(self) -> float:
        """Mean confidence minus accuracy: above 0 the model is too sure of itself."""
        gaps = (self.confidence - self.accuracy) * self.images
        return float(np.nansum(gaps) / max(self.images.sum(), 1))


def reliability(
    confidence: Float[np.ndarray, " image"], correct: Bool[np.ndarray, " image"], bins: int = BINS
) -> Reliability:
    """Sorts predictions into bins (low, high] of their confidence, as `supcon.evaluation.reliability_bins` does.

    In numpy, so that a page can be built again without waiting for torch.
    """
    place = np.clip(np.searchsorted(np.linspace(0, 1, bins + 1), confidence) - 1, 0, bins - 1)
    images = np.bincount(place, minlength=bins)
    with np.errstate(invalid="ignore"):
        accuracy = np.bincount(place, weights=correct, minlength=bins) / images
        mean_confidence = np.bincount(place, weights=confidence, minlength=bins) / images
    return Reliability(images=images, accuracy=accuracy, confidence=mean_confidence)


def calibration_in_words(bins: Reliability) -> str:
    """Too sure, too modest, or neither."""
    if abs(bins.surplus) < 0.005:
        return "On average its confidence matches how often it is right."
    where, manner = ("above", "sure of itself") if bins.surplus > 0 else ("below", "modest")
    distance = f"{100 * abs(bins.surplus):.1f} points {where}"
    return f"On average its confidence lies {distance} how often it is right: it is too {manner}."


def reliability_plot(bins: Reliability) -> Plot:
    """Accuracy by confidence above, how many images lie in each bin below."""
    count = len(bins.images)
    centres = 100 * (np.arange(count) + 0.5) / count
    xaxis: dict[str, Any] = {"range": [0, 100], "tickvals": [0, 20, 40, 60, 80, 100], "ticksuffix": " %"}
    return Plot(
        title="Reliability diagram",
        alt=f"Reliability diagram with {count} bins: calibration error {percent(bins.error, 2)}. "
        + calibration_in_words(bins),
        figure=figure(
            [_ideal(), _accuracy(bins, centres), _gap(bins, centres), _images(bins, centres)],
            xaxis=axis("", **xaxis, anchor="y", showticklabels=False),
            yaxis=axis("right", range=[0, 102], ticksuffix=" %", domain=[0.3, 1]),
            xaxis2=axis("confidence", **xaxis, anchor="y2", matches="x"),
            yaxis2=axis(
                "images", type="log", domain=[0, 0.2], dtick=1, range=[-0.3, np.log10(max(bins.images.max(), 1)) + 0.2]
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
        "name": "as sure as right",
        "x": [0, 100],
        "y": [0, 100],
        "line": {"color": "var(--soft)", "width": 1.5, "dash": "dot"},
        "hoverinfo": "skip",
    }


def _accuracy(bins: Reliability, centres: np.ndarray) -> Trace:
    return {
        "type": "bar",
        "name": "how often right",
        "x": numbers(centres),
        "y": numbers(100 * bins.accuracy),
        "marker": {"color": "var(--bar)", "opacity": _trust(bins)},
        "hovertext": _hover(bins),
        "hoverinfo": "text",
    }


def _gap(bins: Reliability, centres: np.ndarray) -> Trace:
    """From how often a bin is right to how sure it is."""
    return {
        "type": "bar",
        "name": "gap to its confidence",
        "x": numbers(centres),
        "base": numbers(100 * bins.accuracy),
        "y": numbers(100 * (bins.confidence - bins.accuracy)),
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
            "opacity": _trust(bins),
        },
        "hoverinfo": "skip",
    }


def _images(bins: Reliability, centres: np.ndarray) -> Trace:
    return {
        "type": "bar",
        "name": "images",
        "x": numbers(centres),
        "y": bins.images.tolist(),
        "xaxis": "x2",
        "yaxis": "y2",
        "marker": {"color": "var(--second)"},
        "hovertext": _hover(bins),
        "hoverinfo": "text",
        "showlegend": False,
    }


def _trust(bins: Reliability) -> list[float]:
    """A bin of few images says little and is drawn faintly."""
    return [1.0 if images >= FEW_IMAGES else 0.45 for images in bins.images.tolist()]


def _hover(bins: Reliability) -> list[str]:
    return [
        f"{images} images<br>{percent(confidence)} sure, {percent(accuracy)} right"
        for images, confidence, accuracy in zip(bins.images, bins.confidence, bins.accuracy, strict=True)
    ]

"""The 2-D map of test representations: similar images are close together."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from supcon.report.plots.figure import Plot, axis, colour, figure, numbers, symbol
from supcon.report.run_results import Outputs, RunResults
from supcon.report.tables.measure_names import percent

CHUNK = 512


def neighbour_agreement(outputs: Outputs) -> Float[np.ndarray, " mapped"]:
    """For every point of the map, 1 if the nearest other point is of the same class, otherwise 0."""
    points = np.asarray(outputs.coordinates, dtype=np.float64)
    labels = outputs.labels[outputs.map_index]
    nearest = np.empty(len(points), dtype=np.int64)
    for start in range(0, len(points), CHUNK):
        chunk = points[start : start + CHUNK]
        distances = ((chunk[:, None] - points[None]) ** 2).sum(axis=-1)
        distances[np.arange(len(chunk)), start + np.arange(len(chunk))] = np.inf
        nearest[start : start + CHUNK] = distances.argmin(axis=1)
    return np.asarray(labels[nearest] == labels, dtype=np.float64)


def map_in_words(outputs: Outputs) -> str:
    """A sentence on how well the map separates the classes."""
    if len(outputs.map_index) < 2:
        return "There are too few images for a map."
    share = percent(float(neighbour_agreement(outputs).mean()))
    images = f"{len(outputs.map_index):,} images on the map"
    return f"For {share} of the {images}, the nearest other image is of the same class."


def map_plot(results: RunResults) -> Plot:
    """One dot per image; every class has a colour and marker, mistakes have a dark ring."""
    outputs = results.outputs
    labels, wrong = outputs.labels[outputs.map_index], ~outputs.correct[outputs.map_index]
    hidden = axis("", visible=False)
    dots = {
        "type": "scatter",
        "mode": "markers",
        "x": numbers(outputs.coordinates[:, 0]),
        "y": numbers(outputs.coordinates[:, 1]),
        "marker": {
            "color": [colour(int(label)) for label in labels],
            "symbol": [symbol(int(label)) for label in labels],
            "size": [11 if mistake else 8 for mistake in wrong],
            # A thin outline makes the lightest and darkest colours visible on both backgrounds.
            "line": {
                "color": ["var(--ink)" if mistake else "var(--soft)" for mistake in wrong],
                "width": [2 if mistake else 0.6 for mistake in wrong],
            },
            "opacity": 0.85,
        },
        "hoverinfo": "none",
    }
    cursor = {
        "type": "scatter",
        "mode": "markers",
        "x": [],
        "y": [],
        "marker": {"symbol": "circle-open", "size": 20, "color": "var(--ink)", "line": {"width": 2}},
        "hoverinfo": "skip",
    }
    layout = {"xaxis": hidden, "yaxis": hidden, "margin": {"l": 4, "r": 4, "t": 4, "b": 4}, "hovermode": "closest"}
    return Plot(
        title="Map of the test images",
        alt=f"Scatter plot of {len(labels)} test images in {len(results.class_names)} classes. {map_in_words(outputs)}",
        figure=figure([dots, cursor], **layout, showlegend=False),
    )


def map_table(results: RunResults) -> Sequence[tuple[str, int, float]]:
    """The map as a table: class, images on the map, share of them whose nearest image is of the same class."""
    outputs = results.outputs
    labels, agreement = outputs.labels[outputs.map_index], neighbour_agreement(outputs)
    return [
        (name, int((labels == c).sum()), float(agreement[labels == c].mean()))
        for c, name in enumerate(results.class_names)
        if (labels == c).any()
    ]

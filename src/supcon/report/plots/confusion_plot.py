"""The plot of the confusion matrix: cells, or dots if there are many classes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from supcon.report.plots.figure import Plot, Trace, axis, figure, label, numbers
from supcon.report.tables.class_confusion import ConfusedPair, ConfusionMatrix, confused_pairs
from supcon.report.tables.measure_names import percent

COUNTS_UP_TO = 16
TICKS = 25
TICKS_OF_MANY = 10
CELLS_UP_TO = 100
DOTS = 1000
LETTERS_IN_A_LINE = 33
LEAST_SCALE = 5
"""The colour scale of mistakes ends at this percentage of a class at least, so that rare mistakes stay pale."""


def confusion_plot(matrix: ConfusionMatrix, names: Sequence[str]) -> Plot:
    """The diagonal and the mistakes have separate colour scales: on a common one the mistakes would be invisible."""
    many = len(names) > CELLS_UP_TO
    ticks = list(range(0, len(names), -(-len(names) // (TICKS_OF_MANY if many else TICKS))))
    shown: dict[str, Any] = {
        "tickvals": ticks,
        "ticktext": [label(names[c]) for c in ticks],
        "showgrid": False,
        "ticks": "",
    }
    end = len(names) - 0.5
    # Fixed, because plotly.js fails to choose an angle if long names leave little room for the plot.
    angle = 0 if sum(map(len, shown["ticktext"])) <= LETTERS_IN_A_LINE else -90
    return Plot(
        title="Confusion matrix",
        alt=f"Confusion matrix of {len(names)} classes: {np.trace(matrix)} of {matrix.sum()} images are on the "
        "diagonal. The table of the most frequent confusions next to it lists mistakes.",
        figure=figure(
            _dots(matrix, names) if many else _cells(matrix, names),
            xaxis=axis("predicted", **shown, tickangle=angle, range=[-0.5, end], constrain="domain"),
            yaxis=axis("true", **shown, range=[end, -0.5], scaleanchor="x", constrain="domain"),
            margin={"l": 56, "r": 10, "t": 10, "b": 52},
            hovermode="closest",
            showlegend=False,
        ),
    )


def _cells(matrix: ConfusionMatrix, names: Sequence[str]) -> list[Trace]:
    """Two heatmaps, of the diagonal and of the mistakes; each leaves the other's cells empty."""
    shares = 100 * matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    on_diagonal = np.eye(len(matrix), dtype=bool)
    wrong = np.where(on_diagonal | (matrix == 0), np.nan, shares)
    worst = float(np.nan_to_num(wrong).max(initial=LEAST_SCALE))
    return [
        _heatmap(matrix, names, np.where(on_diagonal, shares, np.nan), "right", 100),
        _heatmap(matrix, names, wrong, "wrong", worst),
    ]


def _heatmap(matrix: ConfusionMatrix, names: Sequence[str], shares: np.ndarray, scale: str, top: float) -> Trace:
    gap = 1 if len(matrix) <= TICKS else 0
    classes = range(len(matrix))
    filled = [[not np.isnan(shares[i, j]) for j in classes] for i in classes]
    trace: Trace = {
        "type": "heatmap",
        "z": [numbers(row) for row in shares],
        "hovertext": [[_in_words(matrix, names, i, j) if filled[i][j] else "" for j in classes] for i in classes],
        "hoverinfo": "text",
        "hoverongaps": False,
        "showscale": False,
        "xgap": gap,
        "ygap": gap,
        "zmin": 0,
        "zmax": top,
        "colorscale": [[0, f"var(--{scale}-0)"], [1, f"var(--{scale}-1)"]],
    }
    if len(matrix) <= COUNTS_UP_TO:
        counts = [[str(matrix[i, j]) if filled[i][j] else "" for j in classes] for i in classes]
        trace |= {"text": counts, "texttemplate": "%{text}", "textfont": {"color": "var(--ink)"}}
    return trace


def _dots(matrix: ConfusionMatrix, names: Sequence[str]) -> list[Trace]:
    """A line for the diagonal and a dot for each of the most frequent confusions: cells would be below one pixel."""
    pairs = _dotted(matrix)
    most = max((pair.images for pair in pairs), default=1)
    end = len(matrix) - 1
    diagonal: Trace = {
        "type": "scatter",
        "mode": "lines",
        "x": [0, end],
        "y": [0, end],
        "line": {"color": "var(--right-1)", "width": 3},
        "hoverinfo": "skip",
    }
    dots: Trace = {
        "type": "scatter",
        "mode": "markers",
        "x": [pair.predicted for pair in pairs],
        "y": [pair.label for pair in pairs],
        "marker": {
            "symbol": "square",
            "color": "var(--wrong-1)",
            "size": [float(f"{3 + 5 * pair.images / most:.1f}") for pair in pairs],
            "opacity": 0.8,
        },
        "hovertext": [_in_words(matrix, names, pair.label, pair.predicted) for pair in pairs],
        "hoverinfo": "text",
    }
    return [diagonal, dots]


def _dotted(matrix: ConfusionMatrix) -> list[ConfusedPair]:
    """As many pairs as are drawn, the most frequent first; equally frequent ones are in random order, so that no class
    is favoured."""
    pairs = confused_pairs(matrix, limit=None)
    chance = np.random.default_rng(0).permutation(len(pairs))
    return [pairs[k] for k in np.lexsort((chance, -np.array([pair.images for pair in pairs])))[:DOTS]]


def _in_words(matrix: ConfusionMatrix, names: Sequence[str], true: int, predicted: int) -> str:
    images, total = matrix[true, predicted], matrix[true].sum()
    verdict = "correct" if true == predicted else f"predicted as {label(names[predicted], 40)}"
    share = f" ({percent(images / total)})" if total else ""
    return f"{label(names[true], 40)}, {verdict}: {images} of {total}{share}"

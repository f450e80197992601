"""Plots as plain values for plotly.js, with colours named by the variables of `page.css`.

The page replaces `var(--name)` by the colour of the reader's colour scheme, so figures are the same for light and dark.
"""

import html
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

Figure = dict[str, Any]
Trace = dict[str, Any]

COLOURS = 10
RUN_COLOURS = 5
SYMBOLS = (
    "circle",
    "square",
    "diamond",
    "triangle-up",
    "cross",
    "star",
    "hexagon",
    "triangle-down",
    "pentagon",
    "bowtie",
)
LONGEST_LABEL = 14


def figure(data: list[Trace], **layout: Any) -> Figure:
    """Traces with the look that all plots share."""
    look = {
        "font": {"family": "var(--font)", "size": 13, "color": "var(--soft)"},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 56, "r": 14, "t": 34, "b": 44},
        "hoverlabel": {
            "bgcolor": "var(--panel)",
            "bordercolor": "var(--line-strong)",
            "font": {"family": "var(--font)", "color": "var(--ink)", "size": 13},
            "namelength": -1,
        },
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "xanchor": "left"},
        "dragmode": False,
        "showlegend": len(data) > 1,
    }
    return {"data": data, "layout": look | layout}


def axis(title: str = "", **more: Any) -> dict[str, Any]:
    """An axis with thin lines, in the style of all plots."""
    defaults = {
        "title": {"text": title, "standoff": 8, "font": {"size": 13}},
        "gridcolor": "var(--line)",
        "linecolor": "var(--line-strong)",
        "zeroline": False,
        "automargin": True,
    }
    return defaults | more


def label(text: str, longest: int = LONGEST_LABEL) -> str:
    """A name as a label of a plot: shortened, and escaped because plotly.js interprets some HTML.

    >>> label("<b>a</b>")
    '&lt;b&gt;a&lt;/b&gt;'
    """
    return html.escape(shorten(text, longest), quote=False)


def shorten(text: str, longest: int = LONGEST_LABEL) -> str:
    """The text, cut to `longest` characters.

    >>> shorten("hippopotamus", 6)
    'hippo…'
    """
    return text if len(text) <= longest else text[: longest - 1] + "…"


def colour(index: int) -> str:
    """The colour of a class; the ten colours repeat, with another symbol."""
    return f"var(--class-{index % COLOURS})"


def run_colour(index: int) -> str:
    """The colour of a run, dark enough for a thin line; there are fewer than for classes."""
    return f"var(--run-{index % RUN_COLOURS})"


def symbol(index: int) -> str:
    """The marker of a class: ten colours and ten markers distinguish a hundred classes."""
    return SYMBOLS[index // COLOURS % len(SYMBOLS)]


def numbers(values: Iterable[float] | np.ndarray, digits: int = 5) -> list[float | None]:
    """Values rounded to the digits that a plot can show; NaN and infinite values become None, a gap in the plot.

    >>> numbers([0.123456789, float("nan")])
    [0.12346, None]
    """
    return [float(f"{value:.{digits}g}") if math.isfinite(value) else None for value in np.asarray(values).tolist()]


def script_json(value: Any) -> Markup:
    """JSON that is safe inside a `<script>` element, whatever strings it contains."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


@dataclass(frozen=True, kw_only=True)
class Plot:
    """A figure with its title and alternative text."""

    title: str
    alt: str
    """Description of the figure for screen readers."""

    figure: Figure

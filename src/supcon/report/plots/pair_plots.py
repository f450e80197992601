"""How the gradient is spread over hard and easy pairs, at the start and at the end of training."""

from collections.abc import Mapping

from supcon.report.plots.figure import Plot, axis, figure, numbers
from supcon.report.run_pictures import PairShares
from supcon.report.tables.measure_names import percent

FIFTHS = ("hardest fifth", "second", "third", "fourth", "easiest fifth")
MOMENTS = {"start": "at the start of training", "end": "at the end of training"}
COLOURS = {"start": "var(--second)", "end": "var(--accent)"}
KINDS = {
    "positives": "Positives, from the least to the most similar",
    "negatives": "Negatives, from the most to the least similar",
}


def pair_plots(found: Mapping[str, PairShares]) -> list[Plot]:
    """For positives and negatives, the share of every fifth of the pairs in the gradient of all pairs of the kind."""
    return [_plot(kind, title, found) for kind, title in KINDS.items()] if found else []


def _plot(kind: str, title: str, found: Mapping[str, PairShares]) -> Plot:
    shares = {moment: getattr(pairs, kind).fifths for moment, pairs in found.items()}
    words = "; ".join(
        f"{MOMENTS[moment]}: " + ", ".join(percent(float(value)) for value in values)
        for moment, values in shares.items()
    )
    return Plot(
        title=title,
        alt=f"Share in the gradient of each fifth of the {kind}, the hardest first. {words}.",
        figure=figure(
            [
                {
                    "type": "bar",
                    "name": MOMENTS[moment],
                    "x": list(FIFTHS),
                    "y": numbers(100 * values),
                    "marker": {"color": COLOURS[moment]},
                    "hovertemplate": "%{y:.1f} %",
                }
                for moment, values in shares.items()
            ],
            xaxis=axis(""),
            yaxis=axis("share in the gradient", ticksuffix=" %", rangemode="tozero"),
            showlegend=True,
        ),
    )


def spread_in_words(found: Mapping[str, PairShares]) -> str:
    """A sentence on the share of the hardest fifth, over training."""
    sentences = []
    for kind in KINDS:
        shares = [
            f"{percent(float(getattr(pairs, kind).fifths[0]))} {MOMENTS[moment]}" for moment, pairs in found.items()
        ]
        sentences.append(f"The hardest fifth of the {kind} has {' and '.join(shares)}.")
    return " ".join(sentences)

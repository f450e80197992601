"""Every measure of a run in a table: its value, how sure it is, and what temperature scaling makes of it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from supcon.report.tables.measure_names import Measure, describe, is_headline

MEANINGS = {
    "top1": "images that got their class",
    "top5": "images whose class is among the five likeliest",
    "mean_per_class": "a rare class counts as much as a frequent one",
    "nll": "how surprised it is by the true class, in nats",
    "brier": "squared distance of the probabilities from what happened, 0 to 2",
    "ece": "how far confidence is from accuracy, in bins of equal width",
    "adaptive_ece": "the same in bins of equally many images",
    "knn_top1": "votes of the most similar training images: the root of their number, at most 200",
    "logistic_regression_top1": "on the features of the pretrained encoder, of test images, before any training",
    "prototype_top1": "the class whose mean representation is nearest",
    "recall_at_1": "test images whose nearest other one is of their class",
    "recall_at_5": "one of the five nearest is",
    "recall_at_10": "one of the ten nearest is",
    "map": "precision at every image that shows a class, sorted by score: mean over images, then classes",
    "knn_map": "the same of the votes of the most similar training images",
    "map_at_r": "how far all images of a class come before the others",
    "alignment": "mean squared distance of two images of a class, 0 to 4",
    "uniformity": "0 is a single point, lower is more even on the sphere",
    "class_separation": "R²: 1 when every class is a point, 0 when they are not told apart",
}
_UNIT = re.compile(r"\s% to ")
"""Said once, at the end, is enough."""
FAMILIES = {
    "test": "Test images",
    "before": "What the encoder knew before",
    "on": "Other images",
    "seconds": "Cost",
    "parameters": "Cost",
    "images": "Data",
}


@dataclass(frozen=True, kw_only=True)
class MeasureRow:
    """One measure as the table shows it; texts are empty where there is nothing to say."""

    family: str
    measure: Measure
    value: str
    interval: str
    scaled: str
    meaning: str


def measure_rows(measures: Mapping[str, float], remarks: Mapping[str, str] | None = None) -> list[MeasureRow]:
    """A row for each measure of the test images, of other images and of costs, in the evaluation's order.

    Validation is for choosing, corruptions and transfer have sections of their own. Where `remarks` say that the data
    has validation images and no test images, the figures are called by the images that they are of.
    """
    names = [name for name in measures if name.split("/")[0] in FAMILIES and is_headline(name)]
    rows = [_row(name, measures) for name in names if not name.rpartition("/")[2].startswith("scaled_")]
    return [replace(row, measure=called(row.measure, remarks or {})) for row in rows]


def called(measure: Measure, remarks: Mapping[str, str]) -> Measure:
    """The measure with the title that names the images it is of: the test images, or the data's validation images."""
    if remarks.get("images/tested") != "validation" or not measure.name.startswith("test/"):
        return measure
    return replace(measure, title=re.sub("^Test ", "Validation ", measure.title))


def _row(name: str, measures: Mapping[str, float]) -> MeasureRow:
    measure, (family, _, last) = describe(name), name.rpartition("/")
    ends = [measures.get(f"{name}_{end}") for end in ("low", "high")]
    scaled = measures.get(f"{family}/scaled_{last}")
    return MeasureRow(
        family=FAMILIES[name.split("/")[0]],
        measure=measure,
        value=measure.text(measures[name]),
        interval=_UNIT.sub(" to ", " to ".join(measure.text(end) for end in ends if end is not None)),
        scaled="" if scaled is None else measure.text(scaled),
        meaning=MEANINGS.get(last, ""),
    )

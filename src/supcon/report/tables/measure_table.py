"""The table of a run's metrics: value, interval, value after temperature scaling, explanation."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from supcon.report.tables.measure_names import Measure, describe, family_place, is_headline

MEANINGS = {
    "top1": "share of images that are classified correctly",
    "top5": "share of images whose class is among the five most likely",
    "mean_per_class": "a rare class counts as much as a frequent one",
    "nll": "mean of −log p(true class), in nats",
    "brier": "squared distance of the probabilities from the one-hot label, 0 to 2",
    "ece": "mean difference between confidence and accuracy, in bins of equal width",
    "adaptive_ece": "the same in bins of equally many images",
    "knn_top1": "votes of the most similar training images (square root of their number, at most 200), temperature 0.1",
    "logistic_regression_top1": "on the pretrained encoder's features of the test images, before training",
    "prototype_top1": "the class whose mean representation is nearest",
    "recall_at_1": "share of test images whose nearest other test image is of their class",
    "recall_at_5": "the same for at least one of the five nearest",
    "recall_at_10": "the same for at least one of the ten nearest",
    "map": "mean over classes of the average precision of the images sorted by score",
    "knn_map": "the same for the votes of the most similar training images",
    "map_at_r": "mean average precision of the R nearest test images; R: other images of the class",
    "alignment": "mean squared distance of two images of a class, 0 to 4",
    "uniformity": "0: all images at one point; lower: more uniform on the sphere",
    "class_separation": "R²: 1 if every class is one point, 0 if the classes are not separated",
}
_UNIT = re.compile(r"\s% to ")
"""The percent sign of an interval's lower end, which is left out."""
FAMILIES = {
    "test": "Test images",
    "before": "Pretrained encoder, before training",
    "on": "Other images",
    "seconds": "Cost",
    "parameters": "Cost",
    "images": "Data",
}


@dataclass(frozen=True, kw_only=True)
class MeasureRow:
    """One row of the table; texts that do not apply are empty."""

    family: str
    measure: Measure
    value: str
    interval: str
    scaled: str
    meaning: str


def measure_rows(measures: Mapping[str, float], remarks: Mapping[str, str] | None = None) -> list[MeasureRow]:
    """A row for each metric on test images, on other images and of costs, always in this order.

    Metrics on validation images are left out; corruptions and transfer have their own sections. Where `remarks` say
    that the data has validation images and no test images, the titles say validation.
    """
    names = [name for name in measures if name.split("/")[0] in FAMILIES and is_headline(name)]
    names.sort(key=family_place)
    rows = [_row(name, measures) for name in names if not name.rpartition("/")[2].startswith("scaled_")]
    return [replace(row, measure=called(row.measure, remarks or {})) for row in rows]


def called(measure: Measure, remarks: Mapping[str, str]) -> Measure:
    """The measure with a title that says validation instead of test, if `remarks` say so."""
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

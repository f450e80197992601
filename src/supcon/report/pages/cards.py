"""The headline metrics, each with a sentence that explains it."""

import math
import re
from dataclasses import dataclass

from supcon.evaluation import accuracy_interval, confusion_matrix
from supcon.report.run_results import RunResults
from supcon.report.tables.measure_names import describe, duration, format_value, percent, sentence_case
from supcon.report.tables.measure_table import called
from supcon.report.tables.mistakes import class_results, weakest


@dataclass(frozen=True, kw_only=True)
class Card:
    """A metric and its explanation."""

    title: str
    value: str
    meaning: str


def headline(results: RunResults) -> list[Card]:
    """The cards of a run, the most important first; a metric that the evaluation does not have gets no card."""
    if results.outputs.multi_label:
        return [card for card in (*multi_label_cards(results), _time(results)) if card is not None]
    cards = [_accuracy(results), *_known(results), _weakest(results), _time(results)]
    return [card for card in cards if card is not None]


def multi_label_cards(results: RunResults) -> list[Card]:
    """The cards of a run on images with several labels each."""
    meanings = {
        "test/map": "The average precision of the images sorted by score; mean over classes.",
        "test/map_11_point": "The same at 11 points of recall, as in VOC2007.",
        "test/knn_map": "The same without a classifier: by the votes of the most similar training images.",
    }
    return [_card(results, name, meaning) for name, meaning in meanings.items() if name in results.measures]


def interval_in_words(results: RunResults) -> str:
    """The bootstrap interval of the accuracy, as a sentence."""
    low, high = accuracy_interval(results.outputs.correct)
    return f"95\N{NO-BREAK SPACE}% interval {percent(low)} to {percent(high)} over the choice of test images."


def _accuracy(results: RunResults) -> Card | None:
    if "test/top1" not in results.measures:
        return None
    right, images = int(results.outputs.correct.sum()), len(results.outputs.labels)
    return _card(results, "test/top1", f"{right:,} of {images:,} test images are correct. {interval_in_words(results)}")


def _known(results: RunResults) -> list[Card | None]:
    classes = len(results.class_names)
    meanings = {
        "test/top5": "How often the true class is among the five most likely ones.",
        "test/knn_top1": "Without a classifier: each test image gets the class of the most similar training images. "
        "A high value means that the encoder itself separates the classes.",
        "test/ece": "Mean difference between confidence and accuracy. 0 is perfect.",
        "test/nll": "Mean of −log p(true class), in nats. Confident mistakes cost most; "
        f"uniform predictions for {classes} classes would have {format_value(math.log(classes), 'number')}.",
    }
    if classes <= 5:  # the top-5 accuracy would always be 1
        del meanings["test/top5"]
    return [_card(results, name, meaning) for name, meaning in meanings.items() if name in results.measures]


def _weakest(results: RunResults) -> Card | None:
    matrix = confusion_matrix(results.outputs.probabilities, results.outputs.labels)
    tested = class_results(matrix, results.class_names)
    worst = weakest(tested)
    if worst is None or worst.recall == 1:
        return None
    meaning = f"“{worst.name}”: {worst.right} of its {worst.images} images are correct."
    return Card(title="Weakest class", value=percent(worst.recall), meaning=meaning)


def _time(results: RunResults) -> Card | None:
    stages = {name: value for name, value in results.measures.items() if name.startswith("seconds/stage")}
    finite = [value for value in stages.values() if math.isfinite(value)]
    if not finite:
        return None
    parts = (f"stage {name[-1]}: {duration(value)}" for name, value in stages.items() if math.isfinite(value))
    size = results.measures.get("parameters/encoder", math.nan)
    parameters = f" The encoder has {format_value(size, 'count')} parameters." if math.isfinite(size) else ""
    detail = f"{', '.join(parts).capitalize()}." if len(finite) > 1 else "Training only, without evaluation."
    return Card(title="Training time", value=duration(sum(finite)), meaning=detail + parameters)


def _card(results: RunResults, name: str, meaning: str) -> Card:
    measure, value = called(describe(name), results.remarks), results.measures[name]
    if math.isnan(value):
        meaning = "The evaluation gave NaN."
    # The report is about the test set, so only the first title says so.
    title = measure.title if name == "test/top1" else re.sub("^(Test|Validation) ", "", measure.title)
    return Card(title=sentence_case(title), value=measure.text(value), meaning=meaning)

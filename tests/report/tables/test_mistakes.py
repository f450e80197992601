import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from sklearn.metrics import precision_recall_fscore_support

from supcon.evaluation import confusion_matrix
from supcon.report import RunResults
from supcon.report.tables.mistakes import class_results, confident_mistakes, weakest


def test_mistakes_are_wrong_and_the_surest_first(digits_run: RunResults) -> None:
    outputs = digits_run.outputs
    mistakes = confident_mistakes(outputs)
    wrong = [i for i in range(360) if outputs.probabilities[i].argmax() != outputs.labels[i]]
    expected = sorted(wrong, key=lambda i: -outputs.probabilities[i].max())
    assert [mistake.image for mistake in mistakes] == expected
    for mistake in mistakes:
        row = outputs.probabilities[mistake.image]
        assert (mistake.label, mistake.predicted) == (outputs.labels[mistake.image], row.argmax())
        assert (mistake.confidence, mistake.true_probability) == (row.max(), row[mistake.label])
    assert confident_mistakes(outputs, limit=3) == mistakes[:3]


def test_classes_equal_sklearn(digits_run: RunResults) -> None:
    outputs = digits_run.outputs
    results = class_results(confusion_matrix(outputs.probabilities, outputs.labels), digits_run.class_names)
    precision, recall, _, images = precision_recall_fscore_support(outputs.labels, outputs.predicted)
    np.testing.assert_allclose([result.precision for result in results], precision)
    np.testing.assert_allclose([result.recall for result in results], recall)
    assert [result.images for result in results] == images.tolist()
    assert weakest(results) == results[int(np.argmin(recall))]


def test_most_frequent_confusion_of_a_class() -> None:
    results = class_results(np.array([[5, 1, 2], [0, 3, 0], [0, 0, 0]]), ["a", "b", "c"])
    assert [result.taken_for for result in results] == ["c", "", ""]


def test_class_without_images_or_predictions() -> None:
    results = class_results(np.array([[5, 0], [0, 0]]), ["a", "b"])
    assert math.isnan(results[1].recall)
    assert math.isnan(results[1].precision)
    assert weakest(results) == results[0]
    assert weakest(results[1:]) is None


def test_no_mistakes(make_run: Callable[..., RunResults]) -> None:
    outputs = make_run(3).outputs
    assert confident_mistakes(replace(outputs, labels=outputs.predicted)) == []

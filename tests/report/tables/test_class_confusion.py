from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn import metrics

from supcon.evaluation import confusion_matrix
from supcon.report import RunResults
from supcon.report.run_results import Outputs
from supcon.report.tables.class_confusion import confused_pairs


def matrix_of(outputs: Outputs) -> Any:
    return confusion_matrix(outputs.probabilities, outputs.labels)


def reference(run: RunResults) -> Any:
    classes = range(len(run.class_names))
    return metrics.confusion_matrix(run.outputs.labels, run.outputs.predicted, labels=list(classes))


@pytest.mark.parametrize("classes", [2, 10, 200])
def test_matrix_equals_sklearn(make_run: Callable[..., RunResults], classes: int) -> None:
    run = make_run(classes)
    np.testing.assert_array_equal(matrix_of(run.outputs), reference(run))


def test_pairs_are_all_the_mistakes_most_frequent_first(digits_run: RunResults) -> None:
    matrix = matrix_of(digits_run.outputs)
    pairs = confused_pairs(matrix, limit=None)
    expected = {(i, j): matrix[i, j] for i in range(10) for j in range(10) if i != j and matrix[i, j]}
    assert {(pair.label, pair.predicted): pair.images for pair in pairs} == expected
    assert [pair.images for pair in pairs] == sorted(expected.values(), reverse=True)
    assert all(pair.share == pair.images / matrix[pair.label].sum() for pair in pairs)
    assert confused_pairs(matrix, limit=2) == pairs[:2]


def test_no_mistakes_no_pairs() -> None:
    assert confused_pairs(np.diag([3, 4])) == []

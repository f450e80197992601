import numpy as np
import pytest
from numpy.typing import NDArray

from references.clusters import Classes, clusters
from supcon.base.errors import RequestError
from supcon.serving.auditing.label_estimators import other_neighbours
from supcon.serving.auditing.label_scores import ESTIMATORS, class_overlap, label_scores


def flipped(labels: Classes, classes: int, share: float, seed: int = 0) -> tuple[Classes, NDArray[np.bool_]]:
    generator = np.random.default_rng(seed)
    wrong = np.zeros(len(labels), bool)
    wrong[generator.permutation(len(labels))[: round(share * len(labels))]] = True
    changed = labels.copy()
    changed[wrong] = (labels[wrong] + generator.integers(1, classes, wrong.sum())) % classes
    return changed, wrong


@pytest.mark.parametrize("classes", [2, 5])
def test_flipped_labels_come_first_and_are_put_right(classes: int) -> None:
    rows, right = clusters(60, classes, 0.8)
    given_labels, wrong = flipped(right, classes, 0.1)
    found = label_scores(rows, given_labels, classes)
    assert wrong[found.order[: wrong.sum()]].mean() > 0.9
    assert (found.suggested == right).mean() > 0.95
    assert set(found.label_probabilities) == set(ESTIMATORS)
    np.testing.assert_allclose(found.probabilities.sum(1), 1, rtol=1e-4)


def test_an_image_is_not_its_own_neighbour_even_among_copies() -> None:
    rows = np.repeat(clusters(1, 2, 0.0)[0], 50, 0)
    near = other_neighbours(rows, 5)
    assert near.rows.shape == (100, 5)
    assert not (near.rows == np.arange(100)[:, None]).any()


def test_classes_of_one_image_and_missing_classes() -> None:
    rows, labels = clusters(10, 3, 0.5)
    kept = np.r_[0:10, 10, 20:30]
    found = label_scores(rows[kept], labels[kept] * 2, 7)  # classes 0, 2 (once) and 4 of seven
    assert np.isfinite(found.score).all()
    assert set(np.unique(found.suggested)) <= {0, 2, 4}


def test_overlap_is_high_between_classes_that_cannot_be_told_apart() -> None:
    rows, labels = clusters(80, 3, 0.5)
    mixed = np.where(labels == 2, np.random.default_rng(0).integers(1, 3, len(labels)), labels)
    mixed = np.where(labels == 1, np.random.default_rng(1).integers(1, 3, len(labels)), mixed)
    overlap = class_overlap(label_scores(rows, mixed, 3), mixed)
    assert overlap[1, 2] == pytest.approx(0.5, abs=0.07)
    assert overlap[0, 1] < 0.05
    np.testing.assert_array_equal(overlap, overlap.T)
    assert not overlap.diagonal().any()


def test_one_class_is_refused() -> None:
    rows, labels = clusters(5, 2, 0.5)
    with pytest.raises(RequestError, match="at least two classes"):
        label_scores(rows, labels * 0, 2)

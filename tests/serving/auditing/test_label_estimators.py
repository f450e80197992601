"""Each estimator of an image's class, against its definition and without seeing the label."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from references.clusters import clusters
from supcon.serving.auditing.label_estimators import (
    by_classifier,
    by_gradient,
    by_neighbours,
    by_prototypes,
    other_neighbours,
)


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 1000), place=st.integers(0, 59))
def test_no_estimator_looks_at_the_label_of_the_image(seed: int, place: int) -> None:
    """The probabilities of an image are the same whatever its own label is, but for its own class's members."""
    rows, labels = clusters(20, 3, 1.0, seed)
    other = labels.copy()
    other[place] = (labels[place] + 1) % 3
    near = other_neighbours(rows, 15)
    np.testing.assert_array_equal(by_neighbours(near, labels, 3)[place], by_neighbours(near, other, 3)[place])
    for estimator in (by_gradient,):
        np.testing.assert_allclose(estimator(rows, labels, 3)[place], estimator(rows, other, 3)[place], atol=1e-6)
    leave_out = np.arange(len(rows)) != place
    means = np.stack([rows[leave_out & (labels == number)].mean(0) for number in range(3)])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    scores = np.exp(rows[place] @ means.T / 0.1)
    np.testing.assert_allclose(by_prototypes(rows, labels, 3)[place], scores / scores.sum(), rtol=1e-3)


def test_the_classifier_is_never_asked_about_what_it_was_fitted_to() -> None:
    """With labels of pure probability, a classifier that had seen them would know them."""
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(200, 150)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    labels = generator.integers(0, 2, 200)
    probabilities = by_classifier(rows, labels, 2)
    assert abs((probabilities.argmax(1) == labels).mean() - 0.5) < 0.12
    np.testing.assert_allclose(probabilities.sum(1), 1, rtol=1e-5)


def test_the_gradient_is_the_probability_of_the_loss() -> None:
    rows, labels = clusters(10, 2, 1.0)
    weights = np.exp(rows @ rows.T / 0.1)
    np.fill_diagonal(weights, 0)
    expected = weights @ np.eye(2)[labels] / weights.sum(1, keepdims=True)
    np.testing.assert_allclose(by_gradient(rows, labels, 2), expected, rtol=1e-4)


def test_the_gradient_estimates_an_image_that_is_alone_in_its_class() -> None:
    """Without positives the loss has no gradient, but the image still has a probability of every other class."""
    rows, labels = clusters(10, 2, 1.0)
    alone = labels.copy()
    alone[3] = 2
    probabilities = by_gradient(rows, alone, 3)[3]
    assert probabilities[2] == 0
    np.testing.assert_allclose(probabilities[:2], by_gradient(rows, labels, 2)[3], rtol=1e-4)


def test_a_batch_of_one_image_counts_for_nothing() -> None:
    np.testing.assert_array_equal(by_gradient(np.full((1, 4), 0.5, np.float32), np.array([0]), 2), [[0.5, 0.5]])

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, log_loss, top_k_accuracy_score
from torchmetrics.functional.classification import multiclass_accuracy

from supcon.evaluation import mean_per_class_accuracy, negative_log_likelihood, top_k_accuracy

shapes = {"rows": st.integers(1, 40), "classes": st.integers(2, 8), "seed": st.integers(0, 10_000)}


def draw(rows: int, classes: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    logits = 3 * torch.randn(rows, classes, generator=generator)
    return logits, torch.randint(classes, (rows,), generator=generator)


@settings(deadline=None)
@given(**shapes, k=st.integers(1, 8))
def test_top_k_agrees_with_scikit_learn(rows: int, classes: int, seed: int, k: int) -> None:
    logits, labels = draw(rows, classes, seed)
    if k >= classes:
        expected = 1.0
    else:
        scores = logits.softmax(1).numpy()  # of two classes scikit-learn wants the probability of the second
        scores = scores if classes > 2 else scores[:, 1]
        expected = top_k_accuracy_score(labels.numpy(), scores, k=k, labels=np.arange(classes))
    assert top_k_accuracy(logits, labels, k) == pytest.approx(expected)


@settings(max_examples=30, deadline=None)
@given(**shapes)
def test_top_1_agrees_with_torchmetrics(rows: int, classes: int, seed: int) -> None:
    logits, labels = draw(rows, classes, seed)
    expected = multiclass_accuracy(logits, labels, num_classes=classes, average="micro").item()
    assert top_k_accuracy(logits, labels) == pytest.approx(expected)


@settings(deadline=None)
@given(**shapes)
def test_top_k_grows_with_k(rows: int, classes: int, seed: int) -> None:
    logits, labels = draw(rows, classes, seed)
    values = [top_k_accuracy(logits, labels, k) for k in range(1, classes + 1)]
    assert values == sorted(values)
    assert values[-1] == 1.0


@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true", "ignore:A single label was found")
@settings(max_examples=50, deadline=None)
@given(**shapes)
def test_mean_per_class_agrees_with_scikit_learn(rows: int, classes: int, seed: int) -> None:
    logits, labels = draw(rows, classes, seed)
    expected = balanced_accuracy_score(labels.numpy(), logits.argmax(1).numpy())
    assert mean_per_class_accuracy(logits, labels) == pytest.approx(expected)


def test_a_rare_class_counts_as_much_as_a_frequent_one() -> None:
    logits = torch.tensor([[1.0, 0.0]] * 100)
    labels = torch.tensor([0] * 99 + [1])
    assert top_k_accuracy(logits, labels) == pytest.approx(0.99)
    assert mean_per_class_accuracy(logits, labels) == pytest.approx(0.5)


@settings(max_examples=50, deadline=None)
@given(**shapes)
def test_likelihood_agrees_with_scikit_learn(rows: int, classes: int, seed: int) -> None:
    logits, labels = draw(rows, classes, seed)
    expected = log_loss(labels.numpy(), logits.double().softmax(1).numpy(), labels=np.arange(classes))
    assert negative_log_likelihood(logits, labels) == pytest.approx(expected)


def test_likelihood_of_guessing_and_of_certainty() -> None:
    labels = torch.tensor([0, 3])
    assert negative_log_likelihood(torch.zeros(2, 5), labels) == pytest.approx(math.log(5))
    certain = torch.full((2, 5), -1000.0)
    certain[[0, 1], [0, 3]] = 1000.0
    assert negative_log_likelihood(certain, labels) == 0.0
    assert negative_log_likelihood(-certain, labels) == pytest.approx(2000 + math.log(4))

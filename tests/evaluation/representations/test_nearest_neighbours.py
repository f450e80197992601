import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier
from torch import Tensor

from supcon.base.errors import RequestError
from supcon.evaluation import nearest_neighbour_accuracy, nearest_neighbour_scores

shapes = {
    "queries": st.integers(1, 12),
    "bank": st.integers(1, 30),
    "classes": st.integers(1, 5),
    "k": st.integers(1, 40),
    "seed": st.integers(0, 10_000),
}


def draw(queries: int, bank: int, classes: int, seed: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    rows = torch.randn(queries + bank, 4, generator=generator, dtype=torch.float64)
    labels = torch.randint(classes, (queries + bank,), generator=generator)
    return rows[:queries], labels[:queries], rows[queries:], labels[queries:]


def similarity(a: Tensor, b: Tensor) -> float:
    return float(a @ b / (a.norm() * b.norm()))


@settings(max_examples=60, deadline=None)
@given(**shapes, temperature=st.sampled_from([0.05, 0.1, 1.0]))
def test_votes_are_those_of_a_slow_loop(
    queries: int, bank: int, classes: int, k: int, seed: int, temperature: float
) -> None:
    rows, _, bank_rows, bank_labels = draw(queries, bank, classes, seed)
    found = nearest_neighbour_scores(rows, bank_rows, bank_labels, classes, k=k, temperature=temperature, chunk=5)
    for query, votes in zip(rows, found, strict=True):
        near = sorted(((similarity(query, row), int(c)) for row, c in zip(bank_rows, bank_labels, strict=True)))[::-1][
            :k
        ]
        expected = [0.0] * classes
        for similar, label in near:
            expected[label] += math.exp(similar / temperature)
        total = math.exp(near[0][0] / temperature)
        assert votes.tolist() == pytest.approx([value / total for value in expected], rel=1e-8, abs=1e-300)


@settings(max_examples=40, deadline=None)
@given(**shapes)
def test_accuracy_agrees_with_scikit_learn(queries: int, bank: int, classes: int, k: int, seed: int) -> None:
    rows, labels, bank_rows, bank_labels = draw(queries, bank, classes, seed)
    reference = KNeighborsClassifier(
        n_neighbors=min(k, bank),
        metric="cosine",
        algorithm="brute",
        weights=lambda distance: np.exp((1 - distance) / 0.1),
    )
    reference.fit(bank_rows.numpy(), bank_labels.numpy())
    expected = reference.score(rows.numpy(), labels.numpy())
    assert nearest_neighbour_accuracy(rows, labels, bank_rows, bank_labels, k=k) == pytest.approx(expected)


def test_lengths_of_the_vectors_do_not_matter() -> None:
    rows, _, bank_rows, bank_labels = draw(6, 20, 3, 0)
    found = nearest_neighbour_scores(rows * 7, bank_rows * torch.rand(20, 1).add(0.1), bank_labels, 3, k=5)
    assert torch.allclose(found, nearest_neighbour_scores(rows, bank_rows, bank_labels, 3, k=5))


def test_chunks_change_nothing() -> None:
    rows, _, bank_rows, bank_labels = draw(11, 30, 4, 1)
    whole, parts = (nearest_neighbour_scores(rows, bank_rows, bank_labels, 4, chunk=c) for c in (1024, 3))
    assert torch.allclose(whole, parts)


def test_a_tiny_temperature_is_one_nearest_neighbour() -> None:
    rows, _, bank_rows, bank_labels = draw(12, 30, 4, 2)
    sharp = nearest_neighbour_scores(rows, bank_rows, bank_labels, 4, temperature=1e-8)
    assert sharp.isfinite().all()
    nearest = torch.nn.functional.cosine_similarity(rows[:, None], bank_rows[None], dim=2).argmax(1)
    assert torch.equal(sharp.argmax(1), bank_labels[nearest])


def test_classes_that_the_bank_lacks_get_no_votes() -> None:
    rows, _, bank_rows, _ = draw(3, 5, 1, 0)
    found = nearest_neighbour_scores(rows, bank_rows, torch.zeros(5, dtype=torch.int64), 4)
    assert found.shape == (3, 4)
    assert (found[:, 1:] == 0).all()


def test_a_class_only_among_the_queries_is_always_wrong() -> None:
    rows, _, bank_rows, _ = draw(4, 5, 1, 0)
    labels = torch.tensor([0, 0, 7, 7])
    assert nearest_neighbour_accuracy(rows, labels, bank_rows, torch.zeros(5, dtype=torch.int64)) == 0.5


def test_separate_clusters_are_told_apart() -> None:
    centres = torch.eye(3).repeat(5, 1)
    labels = torch.arange(3).repeat(5)
    noisy = centres + 0.01 * torch.randn(15, 3, generator=torch.Generator().manual_seed(0))
    assert nearest_neighbour_accuracy(noisy, labels, centres, labels) == 1.0


@pytest.mark.parametrize(("k", "temperature"), [(0, 0.1), (5, 0.0), (5, -1.0)])
def test_bad_values_are_refused(k: int, temperature: float) -> None:
    rows, labels, bank_rows, bank_labels = draw(2, 3, 2, 0)
    with pytest.raises(RequestError) as caught:
        nearest_neighbour_accuracy(rows, labels, bank_rows, bank_labels, k=k, temperature=temperature)
    assert str(caught.value) == f"k must be at least 1 and the temperature above 0, got {k} and {temperature}."

import numpy as np
import pytest
from numpy.typing import NDArray

from supcon.serving.auditing import hardest_pairs as module
from supcon.serving.auditing.hardest_pairs import hard_pairs

Rows = NDArray[np.float32]
Classes = NDArray[np.int64]


def random_rows(count: int = 40, classes: int = 3) -> tuple[Rows, Classes]:
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(count, 5)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True), generator.integers(0, classes, count)


def shares_by_loops(rows: Rows, labels: Classes, tau: float = 0.1) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """|P_ix - X_ix| sqrt(1 - (z_i . z_x)^2) of the supplementary, written out; 0 for positives that are pushed away."""
    count = len(rows)
    shares, positive = np.zeros((count, count)), np.zeros((count, count), bool)
    for i in range(count):
        others = [x for x in range(count) if x != i]
        positives = [x for x in others if labels[x] == labels[i]]
        total = sum(np.exp(float(rows[i] @ rows[x]) / tau) for x in others)
        for x in others:
            s = float(rows[i] @ rows[x])
            target = 1 / len(positives) if x in positives else 0.0
            pull = target - np.exp(s / tau) / total
            share = max(0.0, pull if x in positives else -pull)
            shares[i, x] = share * np.sqrt(1 - s * s) if positives else 0.0
            positive[i, x] = x in positives
    return shares, positive


@pytest.mark.parametrize("chunk", [2**22, 100])
def test_the_pairs_are_those_of_the_loops(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CHUNK", chunk)
    rows, labels = random_rows()
    shares, positive = shares_by_loops(rows, labels)
    negative = ~positive & ~np.eye(len(rows), dtype=bool)
    for pairs, kind in zip(hard_pairs(rows, labels), (positive, negative), strict=True):
        expected = shares * kind
        first = np.unravel_index(expected.argmax(), expected.shape)
        assert (pairs.first[0], pairs.second[0]) == first
        assert kind[pairs.first, pairs.second].all()
        of_each = expected[pairs.first, pairs.second] / shares[kind].mean()
        np.testing.assert_allclose(pairs.times_mean, of_each, rtol=1e-4)
        assert (np.diff(pairs.times_mean) <= 0).all()
        similarity = (rows[pairs.first] * rows[pairs.second]).sum(1)
        np.testing.assert_allclose(pairs.similarity, similarity, atol=1e-6)


def test_a_pair_is_listed_once_and_an_image_at_most_twice() -> None:
    for pairs in hard_pairs(*random_rows(200)):
        both = [frozenset(pair) for pair in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)]
        assert len(set(both)) == len(both) == 100
        assert np.bincount(np.r_[pairs.first, pairs.second]).max() <= 2


def test_an_image_with_the_wrong_label_is_a_hard_positive_and_negative() -> None:
    generator = np.random.default_rng(1)
    labels = np.repeat(np.arange(2), 20)
    rows = (np.eye(4)[labels] + 0.05 * generator.normal(size=(40, 4))).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    labels[3] = 1
    for pairs in hard_pairs(rows, labels):
        assert 3 in (pairs.first[0], pairs.second[0])


def test_of_many_images_some_are_anchors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_ANCHORS", 10)
    for pairs in hard_pairs(*random_rows(40)):
        assert set(pairs.first.tolist()) <= set(range(0, 40, 4))


def test_every_image_alone_in_its_class_has_no_pairs() -> None:
    positives, negatives = hard_pairs(random_rows(6)[0], np.arange(6))
    assert len(positives.first) == len(negatives.first) == 0

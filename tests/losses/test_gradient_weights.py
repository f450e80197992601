"""Each pair's share in an anchor's gradient, against autograd."""

from itertools import product
from typing import Any

import pytest
import torch
from torch.nn.functional import normalize

from references.batches import make_batch
from supcon.losses import pair_gradient_weights, supcon_row_losses

FORMULAS = list(product(("out", "in"), ("all", "one_positive", "negatives")))


@pytest.mark.parametrize(("summation", "denominator"), FORMULAS)
def test_its_terms_add_up_to_the_gradient_before_normalisation(summation: Any, denominator: Any) -> None:
    batch = make_batch([0, 1, 0, -1, 2, 1], views=2, dim=6)
    formula = {"temperature": 0.4, "summation": summation, "denominator": denominator}
    found = pair_gradient_weights(batch.projections, batch.labels, **formula)
    vectors = batch.projections.detach().flatten(0, 1)
    unit = normalize(vectors, dim=1)
    names = [
        label if label >= 0 else 10 + image for label, image in zip(batch.row_labels, batch.row_images, strict=True)
    ]
    labels = torch.tensor(names)
    for i in range(12):
        anchor = vectors[i].clone().requires_grad_()
        rows = torch.stack([anchor if row == i else vectors[row] for row in range(12)])
        value = supcon_row_losses(rows, labels, **formula).values[i]
        (expected,) = torch.autograd.grad(value, anchor)
        across = unit - (unit @ unit[i])[:, None] * unit[i]
        length = across.norm(dim=1, keepdim=True)
        directions = torch.where(length > 1e-9, across / length, 0.0)
        total = (found.weights[i][:, None] * directions).sum(0) / (0.4 * vectors[i].norm())
        torch.testing.assert_close(total, expected)


def test_the_numbers_of_the_supplementary() -> None:
    """(P_ip - X_ip) sqrt(1 - s^2) and P_in sqrt(1 - s^2), entry by entry."""
    torch.manual_seed(0)
    unit = normalize(torch.randn(7, 4, dtype=torch.float64), dim=1)
    labels = torch.tensor([0, 0, 0, 1, 1, 2, 3])
    weights, is_positive, _, _ = pair_gradient_weights(unit, labels, temperature=0.5)
    for i in range(7):
        others = [a for a in range(7) if a != i]
        total = sum(torch.exp(unit[i] @ unit[a] / 0.5) for a in others)
        positives = [p for p in others if labels[p] == labels[i]]
        for a in others:
            similarity = unit[i] @ unit[a]
            share = torch.exp(similarity / 0.5) / total - (1 / len(positives) if a in positives else 0)
            expected = share * (1 - similarity**2).sqrt() if positives else torch.zeros(())
            assert abs(weights[i, a] - expected) < 1e-12
            assert is_positive[i, a] == (a in positives)
        assert weights[i, i] == 0
        assert not is_positive[i, i]


def test_hard_pairs_weigh_more_than_easy_ones() -> None:
    """An easy positive and an easy negative weigh next to nothing, a hard one of either kind does."""
    angle = torch.tensor([0.0, 0.05, 1.5, 3.1, 1.6])
    unit = torch.stack([angle.cos(), angle.sin()], dim=1)
    weights, *_ = pair_gradient_weights(unit, torch.tensor([0, 0, 0, 1, 1]), temperature=0.5)
    easy_positive, hard_positive, easy_negative, hard_negative = weights[0, 1:].tolist()
    assert hard_positive < -0.1 < easy_positive
    assert hard_negative > 10 * easy_negative >= 0


def test_some_rows_at_a_time_are_the_rows_of_all() -> None:
    batch = make_batch([0, 1, 0, 1], views=2)
    every = pair_gradient_weights(batch.projections, batch.labels, summation="in")
    some = pair_gradient_weights(batch.projections, batch.labels, summation="in", rows=torch.tensor([6, 1]))
    torch.testing.assert_close(some.weights, every.weights[[6, 1]])
    assert torch.equal(some.is_positive, every.is_positive[[6, 1]])
    assert not every.weights.requires_grad


def test_half_precision_is_computed_in_float32() -> None:
    weights, *_ = pair_gradient_weights(torch.randn(4, 2, 3).half(), torch.arange(4))
    assert weights.dtype == torch.float32


def test_wrong_options() -> None:
    projections = torch.randn(4, 2, 3)
    with pytest.raises(ValueError, match=r'summation must be one of "out", "in", got \'mid\''):
        pair_gradient_weights(projections, summation="mid")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"temperature must be a number above 0, got -1"):
        pair_gradient_weights(projections, temperature=-1)
    with pytest.raises(ValueError, match="denominator must be one of"):
        pair_gradient_weights(projections, denominator="none")  # type: ignore[arg-type]


@pytest.mark.parametrize(("summation", "denominator"), FORMULAS)
def test_p_and_x_are_given_apart(summation: Any, denominator: Any) -> None:
    batch = make_batch([0, 1, 0, -1, 2, 1], views=2, dim=6)
    found = pair_gradient_weights(
        batch.projections, batch.labels, temperature=0.4, summation=summation, denominator=denominator
    )
    unit = normalize(batch.projections.detach().flatten(0, 1), dim=1)
    sine = (1 - (unit @ unit.t()).square()).clamp(min=0).sqrt()
    torch.testing.assert_close((found.p - found.x) * sine, found.weights)
    ones = torch.ones(12, dtype=torch.float64)
    torch.testing.assert_close(found.x.sum(1), ones)
    torch.testing.assert_close(found.p.sum(1), ones)  # also a softmax, or a mean of some
    assert (found.x[~found.is_positive] == 0).all()
    if denominator == "negatives":
        assert (found.p[found.is_positive] == 0).all()


def test_rows_from_the_end_are_the_same_rows() -> None:
    batch = make_batch([0, 1, 0, 1], views=2)
    last = pair_gradient_weights(batch.projections, batch.labels, rows=[7])
    for rows in ([-1], torch.tensor([-1]), torch.tensor([7], dtype=torch.int32)):
        found = pair_gradient_weights(batch.projections, batch.labels, rows=rows)
        torch.testing.assert_close(found.weights, last.weights)
        assert not found.is_positive[0, 7]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (torch.ones(8, dtype=torch.bool), r"got torch.bool of shape \[8\]; for a mask, give mask.nonzero\(\)"),
        ([0.5], r"got torch.float32 of shape \[1\]"),
        ([[1]], r"got torch.int64 of shape \[1, 1\]"),
        ([8], r"rows must be from -8 to 7, got \[8\]"),
        ([-9], r"rows must be from -8 to 7, got \[-9\]"),
    ],
)
def test_what_are_not_rows(rows: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        pair_gradient_weights(torch.randn(4, 2, 3), torch.arange(4), rows=rows)


def test_autocast_changes_nothing() -> None:
    projections, labels = torch.randn(6, 2, 16), torch.arange(6) % 2
    expected = pair_gradient_weights(projections, labels)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = pair_gradient_weights(projections, labels)
    assert torch.equal(found.weights, expected.weights)

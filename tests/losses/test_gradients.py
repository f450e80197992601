"""The gradients: the paper's closed forms, finite differences, and no second derivative."""

from itertools import product
from typing import Any

import pytest
import torch
from torch import Tensor

from references.batches import make_batch
from supcon.losses import MemoryQueue, supcon_loss, supcon_row_losses

FORMULAS = list(product(("out", "in"), ("all", "one_positive", "negatives")))


def paper_gradient(unit: Tensor, labels: Tensor, i: int, temperature: float, summation: str) -> tuple[Tensor, Tensor]:
    """Eq. 4 for one anchor: sum over p of z_p (P_ip - X_ip) and over n of z_n P_in, over tau, with the others fixed."""
    exponential = (unit @ unit[i] / temperature).exp()
    exponential[i] = 0
    probability = exponential / exponential.sum()
    positive = labels == labels[i]
    positive[i] = False
    share = positive / positive.sum() if summation == "out" else positive * exponential / exponential[positive].sum()
    of_positives = ((probability - share)[positive, None] * unit[positive]).sum(0) / temperature
    of_negatives = (probability[labels != labels[i], None] * unit[labels != labels[i]]).sum(0) / temperature
    return of_positives, of_negatives


@pytest.mark.parametrize("summation", ["out", "in"])
def test_with_respect_to_z_and_to_the_vector_before_normalisation(summation: Any) -> None:
    torch.manual_seed(0)
    labels, temperature = torch.tensor([0, 1, 0, 0, 2, 1]), 0.3
    vectors = torch.randn(6, 4, dtype=torch.float64) * 3
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    for i in (0, 1):
        of_positives, of_negatives = paper_gradient(unit, labels, i, temperature, summation)
        expected = of_positives + of_negatives
        anchor = unit[i].clone().requires_grad_()
        # An anchor that is also a positive and a negative of others: only its own loss is looked at.
        rows = torch.stack([anchor if row == i else unit[row] for row in range(6)])
        value = supcon_row_losses(rows, labels, temperature=temperature, summation=summation, normalize=False).values[i]
        torch.testing.assert_close(torch.autograd.grad(value, anchor)[0], expected)

        before = vectors[i].clone().requires_grad_()
        rows = torch.stack([before if row == i else vectors[row] for row in range(6)])
        value = supcon_row_losses(rows, labels, temperature=temperature, summation=summation).values[i]
        across = (expected - (expected @ unit[i]) * unit[i]) / vectors[i].norm()
        torch.testing.assert_close(torch.autograd.grad(value, before)[0], across)


@pytest.mark.parametrize(("summation", "denominator"), FORMULAS)
@pytest.mark.usefixtures("way")
def test_finite_differences(summation: Any, denominator: Any) -> None:
    batch = make_batch([0, 1, 0, -1, 1], views=2, dim=3)
    queue = MemoryQueue(4, 3).double()
    queue.enqueue(torch.randn(3, 3, dtype=torch.float64), torch.tensor([0, 1, 5]))
    weights = (torch.rand(10, 10, generator=torch.Generator().manual_seed(1)) * 2).floor() / 2
    all_options: list[dict[str, Any]] = [
        {},
        {"max_positives": 2},
        {"queue": queue},
        {"anchors": "first_view"},
        {"normalize": False},
        {"pair_weights": weights},
    ]
    for options in all_options:

        def loss(projections: Tensor, options: dict[str, Any] = options) -> Tensor:
            generator = torch.Generator().manual_seed(0)
            formula = {"summation": summation, "denominator": denominator, "temperature": 0.5}
            return supcon_loss(projections, batch.labels, generator=generator, **formula, **options)

        assert torch.autograd.gradcheck(loss, batch.projections)


@pytest.mark.parametrize("options", [{}, {"summation": "in"}, {"denominator": "one_positive"}])
@pytest.mark.usefixtures("way")
def test_a_graph_is_used_once_unless_it_is_retained(options: dict[str, Any]) -> None:
    batch = make_batch([0, 1, 0], views=2)
    loss = supcon_loss(batch.projections, batch.labels, **options)
    (first,) = torch.autograd.grad(loss, batch.projections, retain_graph=True)
    (second,) = torch.autograd.grad(loss, batch.projections)
    assert torch.equal(first, second)
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()

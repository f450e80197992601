"""The same loss as the field's packages give, where they give it."""

import warnings
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import normalize

from supcon.losses import self_supervised_loss, supcon_out_loss


def imported(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name)


def with_gradient(loss: Tensor, projections: Tensor) -> tuple[Tensor, Tensor]:
    return loss.detach(), torch.autograd.grad(loss, projections)[0]


@pytest.mark.parametrize("temperature", [0.07, 0.1, 0.5])
def test_pytorch_metric_learning(temperature: float) -> None:
    peer = imported("pytorch_metric_learning.losses").SupConLoss(temperature=temperature)
    torch.manual_seed(0)
    projections, labels = torch.randn(40, 16, requires_grad=True), torch.arange(40) % 7
    expected = with_gradient(peer(projections, labels), projections)
    found = with_gradient(supcon_out_loss(projections, labels, temperature=temperature), projections)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-6)


def test_lightly_for_eq_1() -> None:
    peer = imported("lightly.loss").NTXentLoss(temperature=0.2)
    torch.manual_seed(0)
    projections = torch.randn(20, 2, 16, requires_grad=True)
    expected = with_gradient(peer(projections[:, 0], projections[:, 1]), projections)
    found = with_gradient(self_supervised_loss(projections, temperature=0.2), projections)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-6)


def test_the_authors_formula_with_a_base_temperature() -> None:
    """SupContrast's loss, from its definition: - tau / base times the mean log-probability of the positives."""
    torch.manual_seed(0)
    projections, labels = torch.randn(10, 2, 8, dtype=torch.float64), torch.arange(10) % 3
    rows, row_labels = normalize(projections, dim=-1).flatten(0, 1), labels.repeat_interleave(2)
    itself = torch.eye(20, dtype=torch.bool)
    log_probability = (rows @ rows.t() / 0.1).masked_fill(itself, -torch.inf).log_softmax(1)
    positive = (row_labels[:, None] == row_labels) & ~itself
    expected = -(0.1 / 0.07) * (log_probability.masked_fill(~positive, 0).sum(1) / positive.sum(1)).mean()
    torch.testing.assert_close(supcon_out_loss(projections, labels, temperature=0.1, rescale=0.07), expected)

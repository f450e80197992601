"""The same loss as the field's packages give, where they give it."""

import warnings
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import normalize

from supcon.losses import self_supervised_loss, supcon_in_loss, supcon_out_loss, supcon_row_losses


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


def test_pytorch_metric_learning_gives_0_for_a_batch_of_one_class() -> None:
    peer = imported("pytorch_metric_learning.losses").SupConLoss(temperature=0.1)
    torch.manual_seed(0)
    projections, labels = torch.randn(8, 4), torch.zeros(8, dtype=torch.int64)
    assert float(peer(projections, labels)) == 0
    assert float(supcon_out_loss(projections, labels, temperature=0.1)) >= torch.log(torch.tensor(7.0))


def test_pytorch_metric_learning_s_nt_xent_has_one_positive_in_the_denominator() -> None:
    peer = imported("pytorch_metric_learning.losses").NTXentLoss(temperature=0.2)
    torch.manual_seed(0)
    projections, labels = torch.randn(24, 8, requires_grad=True), torch.arange(24) % 4  # classes of equal size
    expected = with_gradient(peer(projections, labels), projections)
    ours = supcon_out_loss(projections, labels, temperature=0.2, denominator="one_positive")
    torch.testing.assert_close(with_gradient(ours, projections), expected, rtol=1e-4, atol=1e-6)


def test_pytorch_metric_learning_s_self_supervised_wrapper_is_eq_1() -> None:
    peers = imported("pytorch_metric_learning.losses")
    torch.manual_seed(0)
    first, second = torch.randn(2, 12, 8)
    expected = peers.SelfSupervisedLoss(peers.NTXentLoss(temperature=0.2))(first, second)
    found = self_supervised_loss(torch.stack([first, second], 1), temperature=0.2)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-6)


def test_solo_learn_s_formulas() -> None:
    """From their definitions. Release 1.0.2: the mean log-probability of the positives, which is Eq. 2. The repository
    since then: -log of the positives' share of the sum, which is Eq. 3 without 1 / |P(i)|."""
    torch.manual_seed(0)
    projections, labels = torch.randn(20, 8, dtype=torch.float64), torch.arange(20) % 3
    rows, itself = normalize(projections, dim=-1), torch.eye(20, dtype=torch.bool)
    logits, positive = (rows @ rows.t() / 0.1).masked_fill(itself, -torch.inf), (labels[:, None] == labels) & ~itself
    release = -(logits.log_softmax(1).masked_fill(~positive, 0).sum(1) / positive.sum(1)).mean()
    repository = -((logits.exp() * positive).sum(1) / logits.exp().sum(1)).log().mean()
    torch.testing.assert_close(supcon_out_loss(projections, labels, temperature=0.1), release)
    more = positive.sum(1).double().log().mean()
    torch.testing.assert_close(supcon_in_loss(projections, labels, temperature=0.1), repository + more)


def test_the_authors_mean_counts_rows_without_a_positive() -> None:
    """So ours is larger by rows / anchors where there are such rows."""
    torch.manual_seed(0)
    projections, labels = torch.randn(6, 4, dtype=torch.float64), torch.tensor([0, 0, 1, 1, 2, 3])
    values, is_anchor = supcon_row_losses(projections, labels, temperature=0.1)
    assert int(is_anchor.sum()) == 4
    torch.testing.assert_close(supcon_out_loss(projections, labels, temperature=0.1), values.mean() * 6 / 4)

"""From one value per row to the returned loss; a batch without anchors is 0 with a warning."""

from typing import Any

import pytest
import torch

from supcon.losses import MemoryQueue, n_pairs_loss, self_supervised_loss, supcon_loss, supcon_out_loss, triplet_loss
from supcon.losses.reduction import RowLosses, reduce_rows


@pytest.mark.parametrize("function", [n_pairs_loss, triplet_loss])
def test_without_anchors_they_are_0_with_a_warning(function: Any) -> None:
    projections = torch.randn(3, 1, 4, requires_grad=True)
    with pytest.warns(UserWarning, match="no row has a positive"):
        loss = function(projections, torch.arange(3))
    loss.backward()
    assert loss == 0
    assert projections.grad is not None


@pytest.mark.parametrize("function", [n_pairs_loss, triplet_loss, self_supervised_loss])
def test_wrong_options(function: Any) -> None:
    given = (torch.randn(4, 2, 3),) if function is self_supervised_loss else (torch.randn(4, 2, 3), torch.arange(4))
    with pytest.raises(ValueError, match=r"temperature must be a number above 0, got 0"):
        function(*given, temperature=0)
    with pytest.raises(ValueError, match=r'reduction must be one of "mean", "sum", "none", got \'max\''):
        function(*given, reduction="max")


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("function", [supcon_loss, n_pairs_loss, triplet_loss])
def test_an_empty_batch_is_0_with_a_warning(function: Any) -> None:
    every: list[dict[str, Any]] = [{}]
    if function is supcon_loss:
        queue = MemoryQueue(4, 3)
        every += [{"max_positives": 2}, {"pair_weights": torch.ones(0, 0)}, {"queue": queue}, {"anchors": "first_view"}]
        every += [{"temperature": 0.01}, {"max_positives": 2, "queue": queue}, {"normalize": False}]
    for options in every:
        projections = torch.randn(0, 2, 3, requires_grad=True)
        with pytest.warns(UserWarning, match="no row has a positive"):
            loss = function(projections, torch.zeros(0, dtype=torch.int64), **options)
        loss.backward()
        assert loss == 0
        assert projections.grad is not None


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_a_batch_without_anchors_is_0_with_a_graph_and_one_warning(reduction: Any) -> None:
    projections = torch.randn(4, 1, 3, requires_grad=True)
    with pytest.warns(UserWarning, match="no row has a positive, so the loss and its gradient are 0") as caught:
        loss = supcon_out_loss(projections, torch.arange(4), reduction=reduction)
    assert len(caught) == 1
    loss.sum().backward()
    assert projections.grad is not None
    assert (loss == 0).all()
    assert (projections.grad == 0).all()


def test_mean_over_anchors_sum_or_every_row() -> None:
    losses = RowLosses(torch.tensor([3.0, 0.0, 5.0, 0.0]), torch.tensor([True, False, True, False]))
    assert reduce_rows(losses, "mean", gather_distributed=False) == 4
    assert reduce_rows(losses, "sum", gather_distributed=True) == 8
    assert reduce_rows(losses, "none", gather_distributed=False) is losses.values

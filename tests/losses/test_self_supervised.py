"""Eq. 1 against a loop."""

import pytest
import torch

from references.batches import make_batch
from references.supcon_loops import log_sum, unit
from supcon.losses import self_supervised_loss


@pytest.mark.parametrize("views", [2, 3])
def test_eq_1(views: int) -> None:
    batch = make_batch([-1] * 6, views)
    rows = [unit(row) for row in batch.rows]
    losses = []
    for i in range(len(rows)):
        others = [a for a in range(len(rows)) if a != i]
        own = [j for j in others if j // views == i // views]
        under = log_sum([rows[i] @ rows[a] / 0.2 for a in others])
        losses.append(torch.stack([under - rows[i] @ rows[j] / 0.2 for j in own]).mean())
    torch.testing.assert_close(self_supervised_loss(batch.projections, temperature=0.2), torch.stack(losses).mean())


def test_eq_1_needs_views() -> None:
    with pytest.raises(ValueError, match="labels must be given with projections of shape"):
        self_supervised_loss(torch.randn(4, 3))

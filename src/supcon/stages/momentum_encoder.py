"""The momentum encoder, whose projections fill the queue (MoCo, He et al. 2020)."""

from copy import deepcopy

import torch
from torch import Tensor, nn


class MomentumEncoder(nn.Module):
    """Exponential moving averages of all parameters: slow = momentum * slow + (1 - momentum) * fast.

    It changes slowly, so the rows of a queue, made at different steps, come from nearly the same encoder. Batch norm is
    always in training mode: a batch is normalized by its own statistics, like the rows it is compared with, and not by
    running averages that lag behind the weights. As in MoCo, its running averages are not averaged with the trained
    encoder's; they are never used. The keys of a batch enter the queue after its loss, so a batch never shares
    batch-norm statistics with the keys it is compared with, and MoCo's shuffling over devices is not needed.
    """

    def __init__(self, encoder: nn.Module, projection: nn.Module, momentum: float = 0.999) -> None:
        super().__init__()
        self.encoder, self.projection = deepcopy(encoder), deepcopy(projection)
        self.requires_grad_(False)
        self.momentum = momentum

    @torch.no_grad()
    def follow(self, encoder: nn.Module, projection: nn.Module) -> None:
        """Updates the moving averages with the current weights of the trained networks."""
        for slow, fast in ((self.encoder, encoder), (self.projection, projection)):
            for mine, theirs in zip(slow.parameters(), fast.parameters(), strict=True):
                mine.lerp_(theirs.to(mine.dtype), 1 - self.momentum)

    @torch.no_grad()
    def forward(self, rows: Tensor) -> Tensor:
        """The keys: projections [row, dim], without a gradient."""
        self.train()
        keys: Tensor = self.projection(self.encoder(rows))
        return keys

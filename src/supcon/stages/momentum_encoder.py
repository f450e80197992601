"""The slow copy of encoder and projection whose projections fill the queue (MoCo, He et al. 2020)."""

from copy import deepcopy

import torch
from torch import Tensor, nn


class MomentumEncoder(nn.Module):
    """Exponential moving averages of all parameters: slow = momentum * slow + (1 - momentum) * fast.

    So the rows of a queue, made at different steps, come from nearly the same encoder. Batch norm is always in training
    mode: a batch is normalised by its own statistics, as the rows it will be compared with were, and not by running
    averages that lag behind the weights. Its running averages are therefore its own and no averages of the other's, as
    in MoCo; nothing reads them. The keys of a batch enter the queue after its loss, so no statistics are shared between
    a batch and what it is compared with, which is why MoCo's shuffling over devices is not needed.
    """

    def __init__(self, encoder: nn.Module, projection: nn.Module, momentum: float = 0.999) -> None:
        super().__init__()
        self.encoder, self.projection = deepcopy(encoder), deepcopy(projection)
        self.requires_grad_(False)
        self.momentum = momentum

    @torch.no_grad()
    def follow(self, encoder: nn.Module, projection: nn.Module) -> None:
        """Goes one step towards the weights that are being trained."""
        for slow, fast in ((self.encoder, encoder), (self.projection, projection)):
            for mine, theirs in zip(slow.parameters(), fast.parameters(), strict=True):
                mine.lerp_(theirs.to(mine.dtype), 1 - self.momentum)

    @torch.no_grad()
    def forward(self, rows: Tensor) -> Tensor:
        """The keys: projections [row, dim], without a gradient."""
        self.train()
        keys: Tensor = self.projection(self.encoder(rows))
        return keys

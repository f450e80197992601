"""Gradient caching: a batch of any size in the memory of a small one, with the gradient of the whole batch.

A contrastive loss looks at all rows of a batch, so adding up gradients of small batches is not the gradient of a large
one. But the loss needs only the projections, which are small; what fills the memory is what the encoder keeps for its
backward pass. So (Gao et al. 2021, "Scaling Deep Contrastive Learning Batch Size under Memory Limited Setup"):

1. The projections of all micro-batches, keeping nothing else.
2. The loss of all of them, and its gradient with respect to the projections.
3. Each micro-batch again, this time kept, and backwards from its part of that gradient.

That is torch's activation checkpointing with a micro-batch as the segment, which brings along what makes it exact and
lets it work everywhere: the third step has the first one's random state (dropout, drop-path) and autocast, and each
parameter gets its gradient in one piece at the end, so DistributedDataParallel exchanges once and a gradient scaler or
a queue notices nothing. It costs one more forward pass.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.utils.checkpoint import checkpoint

Contexts = tuple[AbstractContextManager[None], AbstractContextManager[None]]


def in_micro_batches(encode: nn.Module, rows: Tensor, size: int | None) -> Tensor:
    """What `encode` makes of `rows`, going through it `size` rows at a time in both directions; None: all at once.

    The gradient is that of `encode(rows)`. Batch norm is the exception that no split can avoid: in training it
    normalizes each micro-batch by its own statistics, and its averages see every micro-batch once.
    """
    parts = rows.split(size or len(rows))
    if len(parts) == 1:
        return encode(rows)  # type: ignore[no-any-return]
    if not torch.is_grad_enabled():
        return torch.cat([encode(part) for part in parts])

    def contexts() -> Contexts:
        return nullcontext(), frozen_averages(encode)

    return torch.cat([checkpoint(encode, part, use_reentrant=False, context_fn=contexts) for part in parts])


@contextmanager
def frozen_averages(module: nn.Module) -> Iterator[None]:
    """Batch norm normalizes as it would anyway, but its running averages and its count stay as they are."""
    norms = [part for part in module.modules() if isinstance(part, _BatchNorm)]
    kept = [(norm.momentum, norm.num_batches_tracked) for norm in norms]
    # Not track_running_stats=False, which would change what autograd keeps between the two passes.
    for norm in norms:
        norm.momentum, norm.num_batches_tracked = 0.0, None
    try:
        yield
    finally:
        for norm, (momentum, count) in zip(norms, kept, strict=True):
            norm.momentum, norm.num_batches_tracked = momentum, count

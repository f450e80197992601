"""Gradient caching: the exact gradient of a large batch with the activation memory of a micro-batch.

A contrastive loss compares all rows of a batch, so accumulating the gradients of small batches does not give the
gradient of a large one. But the loss needs only the projections, which are small; most memory is taken by the
activations that the encoder stores for its backward pass. Therefore (Gao et al. 2021, "Scaling Deep Contrastive
Learning Batch Size under Memory Limited Setup"):

1. Compute the projections of all micro-batches without storing activations.
2. Compute the loss of all projections, and its gradient with respect to them.
3. Run each micro-batch forward again, with activations, and backward from its part of that gradient.

This is torch's activation checkpointing with a micro-batch as the segment. torch restores the random state (dropout,
drop-path) and autocast of step 1 in step 3, so the gradient is exact. Gradients are accumulated in one backward pass,
so DistributedDataParallel reduces once, and gradient scalers and queues work unchanged. The cost is one more forward
pass.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.utils.checkpoint import checkpoint

Contexts = tuple[AbstractContextManager[None], AbstractContextManager[None]]


def in_micro_batches(encode: nn.Module, rows: Tensor, size: int | None) -> Tensor:
    """`encode(rows)`, run forward and backward `size` rows at a time; None: all rows at once.

    The gradient is that of `encode(rows)`, except for batch norm: in training mode it normalizes each micro-batch by
    its own statistics, and updates its running averages once per micro-batch.
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
    """Batch norms of `module` normalize as usual but do not update their running averages and `num_batches_tracked`."""
    norms = batch_norms(module)
    kept = [(norm.momentum, norm.num_batches_tracked) for norm in norms]
    # Not track_running_stats=False: that changes which tensors autograd saves, and checkpointing compares them.
    for norm, (_, count) in zip(norms, kept, strict=True):
        # A throwaway copy: without a counter, a norm that is synchronized over GPUs raises an error.
        norm.momentum, norm.num_batches_tracked = 0.0, None if count is None else count.clone()
    try:
        yield
    finally:
        for norm, (momentum, count) in zip(norms, kept, strict=True):
            norm.momentum, norm.num_batches_tracked = momentum, count


def batch_norms(module: nn.Module) -> list[_BatchNorm]:
    """The batch norms of `module` and of the modules in it."""
    return [part for part in module.modules() if isinstance(part, _BatchNorm)]

"""Projections and labels of past batches as further positives and negatives (the paper's memory of 8192 x 128)."""

import torch
from torch import Tensor, nn

from supcon.losses.batch import collect


class MemoryQueue(nn.Module):
    """The last `size` rows that were put in; the oldest go first.

    Anchors come from the batch, positives and negatives from batch and queue: give the queue to the loss, then put the
    batch in. Rows carry no gradient. All of it, where to write next included, is in the state dict.

    Args:
        size: how many rows it holds; the paper's is 8192.
        dim: width of a projection.
        gather_distributed: put in the rows of all processes, by rank, so that every process holds the same queue.

    >>> queue = MemoryQueue(size=4, dim=2)
    >>> queue.enqueue(torch.eye(2), torch.tensor([0, 1]))
    >>> len(queue), queue.contents()[1]
    (2, tensor([0, 1]))
    """

    projections: Tensor
    labels: Tensor
    filled: Tensor
    next_slot: Tensor

    def __init__(self, size: int = 8192, dim: int = 128, *, gather_distributed: bool = False) -> None:
        super().__init__()
        for name, value in (("size", size), ("dim", dim)):
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"{name} must be a whole number from 1 up, got {value!r}.")
        self.gather_distributed = gather_distributed
        self.register_buffer("projections", torch.zeros(size, dim))
        self.register_buffer("labels", torch.full((size,), -1))
        self.register_buffer("filled", torch.tensor(0))
        self.register_buffer("next_slot", torch.tensor(0))

    def __len__(self) -> int:
        """How many rows it holds by now."""
        return int(self.filled)

    def contents(self) -> tuple[Tensor, Tensor]:
        """Projections [row, dim] and labels [row], oldest first; no empty slot is among them."""
        start = int(self.next_slot) - len(self)
        slots = torch.arange(start, start + len(self), device=self.labels.device) % len(self.labels)
        return self.projections[slots], self.labels[slots]

    def stored(self) -> tuple[Tensor, Tensor]:
        """The same in no particular order, and not copied: the next `enqueue` writes over it."""
        return self.projections[: len(self)], self.labels[: len(self)]

    @torch.no_grad()
    def enqueue(self, projections: Tensor, labels: Tensor | None = None) -> None:
        """Put in [batch, view, dim] with labels [batch], or [row, dim] with labels [row]; None: all unlabelled."""
        batch = collect(projections, labels, gather_distributed=self.gather_distributed).flat
        size, dim = self.projections.shape
        if batch.projections.shape[1] != dim:
            raise ValueError(f"projections must be {dim} wide as the queue is, got {batch.projections.shape[1]}.")
        count = min(len(batch.label), size)
        slots = (self.next_slot + torch.arange(count, device=self.labels.device)) % size
        self.projections[slots] = batch.projections[-count:].to(self.projections)
        self.labels[slots] = batch.label[-count:].to(self.labels)
        self.next_slot.copy_((self.next_slot + count) % size)
        self.filled.copy_((self.filled + count).clamp(max=size))

    def extra_repr(self) -> str:
        size, dim = self.projections.shape
        return f"size={size}, dim={dim}, gather_distributed={self.gather_distributed}"

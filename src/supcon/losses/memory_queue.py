"""Projections and labels of past batches as further positives and negatives (the paper's memory of 8192 x 128)."""

import torch
from torch import Tensor, nn

from supcon.losses.inputs.flat_rows import FlatRows
from supcon.losses.inputs.gathering import Group
from supcon.losses.inputs.loss_batch import collect


class MemoryQueue(nn.Module):
    """A first-in, first-out queue of the last `size` rows.

    Anchors come from the batch, positives and negatives from batch and queue: pass the queue to the loss, then enqueue
    the batch. Rows have no gradient. The state dict holds all rows and the write position.

    Args:
        size: maximum number of rows; 8192 in the paper.
        dim: width of a projection.
        gather_distributed: whether to enqueue the rows of all processes, by rank, so that all have the same queue.
        process_group: which processes; None: all.
        replaces_batch_negatives: whether only the negatives of the queue are used, not those of the batch, as in MoCo;
            positives come from both in any case.

    Examples:
        >>> queue = MemoryQueue(size=4, dim=2)
        >>> queue.enqueue(torch.eye(2), torch.tensor([0, 1]))
        >>> len(queue), queue.contents()[1]
        (2, tensor([0, 1]))
    """

    projections: Tensor
    labels: Tensor
    filled: Tensor
    next_slot: Tensor

    def __init__(
        self,
        size: int = 8192,
        dim: int = 128,
        *,
        gather_distributed: bool = False,
        process_group: Group = None,
        replaces_batch_negatives: bool = False,
    ) -> None:
        super().__init__()
        for name, value in (("size", size), ("dim", dim)):
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"{name} must be a whole number from 1 up, got {value!r}.")
        self.gather_distributed, self.process_group = gather_distributed, process_group
        self.replaces_batch_negatives = replaces_batch_negatives
        self.register_buffer("projections", torch.zeros(size, dim))
        self.register_buffer("labels", torch.full((size,), -1))
        self.register_buffer("filled", torch.tensor(0))
        self.register_buffer("next_slot", torch.tensor(0))

    def __len__(self) -> int:
        """Number of rows in the queue."""
        return int(self.filled)

    def contents(self) -> tuple[Tensor, Tensor]:
        """Projections [row, dim] and labels [row] of the filled slots, oldest first."""
        start = int(self.next_slot) - len(self)
        slots = torch.arange(start, start + len(self), device=self.labels.device) % len(self.labels)
        return self.projections[slots], self.labels[slots]

    def stored(self) -> tuple[Tensor, Tensor, Tensor | None]:
        """Projections and labels in no particular order, and a mask of the filled slots; None: all are filled.

        Not a copy: the next `enqueue` overwrites it. On a GPU it has all slots, since reading the number of filled ones
        would synchronize.
        """
        if self.labels.device.type == "cpu" and not torch.compiler.is_compiling():
            return self.projections[: len(self)], self.labels[: len(self)], None
        slots = torch.arange(self.labels.shape[0], device=self.labels.device)
        return self.projections, self.labels, slots < self.filled

    def reset(self) -> None:
        """Removes all rows."""
        self.labels.fill_(-1)
        for buffer in (self.projections, self.filled, self.next_slot):
            buffer.zero_()

    def check_fits(self, projections: Tensor) -> None:
        """Raises an error for projections [row, dim] of another width or on another device."""
        if self.projections.shape[1] != projections.shape[1]:
            raise ValueError(
                f"queue must hold projections of the batch's dim {projections.shape[1]}, "
                f"got {self.projections.shape[1]}; make it with MemoryQueue(size, dim)."
            )
        if self.projections.device != projections.device:
            raise ValueError(
                f"queue must be on the projections' device {projections.device}, got {self.projections.device}; "
                f'move it once with queue.to("{projections.device.type}").'
            )

    @torch.no_grad()
    def enqueue(self, projections: Tensor, labels: Tensor | None = None) -> None:
        """Enqueues [batch, view, dim] with labels [batch], or [row, dim] with labels [row]; None: all unlabelled."""
        size, dim = self.projections.shape

        def check(flat: FlatRows) -> None:
            if flat.projections.shape[1] != dim:
                raise ValueError(f"projections must be {dim} wide as the queue is, got {flat.projections.shape[1]}.")

        rows = collect(
            projections,
            labels,
            check=check,
            gather_distributed=self.gather_distributed,
            process_group=self.process_group,
        ).flat
        count = min(rows.label.shape[0], size)
        first = rows.label.shape[0] - count
        slots = (self.next_slot + torch.arange(count, device=self.labels.device)) % size
        self.projections[slots] = rows.projections[first:].to(self.projections)
        self.labels[slots] = rows.label[first:].to(self.labels)
        self.next_slot.copy_((self.next_slot + count) % size)
        self.filled.copy_((self.filled + count).clamp(max=size))

    def extra_repr(self) -> str:
        size, dim = self.projections.shape
        replaces = ", replaces_batch_negatives=True" if self.replaces_batch_negatives else ""
        return f"size={size}, dim={dim}, gather_distributed={self.gather_distributed}{replaces}"

"""The rows that a loss sees: this process's batch, or those of all processes laid end to end."""

from dataclasses import dataclass

import torch
from torch import Tensor

from supcon.losses import distributed
from supcon.losses.pair_weights import check_pair_weights
from supcon.losses.rows import Rows, flatten


@dataclass(frozen=True)
class Batch:
    """A flat batch, of which some rows are this process's own."""

    flat: Rows
    first: int
    """The first row of this process."""
    count: int
    """How many rows are this process's."""
    shared: bool
    """Whether other processes hold the rest."""

    def anchor_row(self, *, first_view: bool) -> Tensor | None:
        """The rows that are anchors of this process; None: all rows."""
        step = self.flat.views if first_view else 1
        if step == 1 and not self.shared:
            return None
        return torch.arange(self.first, self.first + self.count, step, device=self.flat.label.device)

    def spread(self, values: Tensor, row: Tensor | None) -> Tensor:
        """From [anchor] to [row] of this process, 0 or False for a row that is no anchor."""
        if row is None:
            return values
        return values.new_zeros(self.count).index_copy(0, row - self.first, values)


def collect(
    projections: Tensor, labels: Tensor | None, pair_weights: Tensor | None = None, *, gather_distributed: bool
) -> Batch:
    """Check and flatten the batch, and gather it from all processes if asked to.

    Args:
        projections: [batch, view, dim] or [row, dim].
        labels: [batch] or [row]; None: all unlabelled.
        pair_weights: [row, row], or [own row, row of all processes]; only checked.
        gather_distributed: whether the rows of other processes belong to the batch, if there are any.

    Raises:
        ValueError: if something given is not as it must be. With other processes, all of them raise.
    """
    if gather_distributed and distributed.is_distributed():
        return _collect_all(projections, labels, pair_weights)
    flat = _checked(projections, labels, pair_weights)
    if pair_weights is not None:
        _check_agreement([_header(flat, labels, pair_weights)])
    return Batch(flat, 0, len(flat.label), shared=False)


def _checked(projections: Tensor, labels: Tensor | None, pair_weights: Tensor | None) -> Rows:
    flat = flatten(projections, labels)
    if pair_weights is not None:
        check_pair_weights(pair_weights)
    wide = flat.projections.dtype in (torch.float32, torch.float64)
    return flat if wide else flat._replace(projections=flat.projections.float())


def _collect_all(projections: Tensor, labels: Tensor | None, pair_weights: Tensor | None) -> Batch:
    refused, flat = None, None
    try:
        flat = _checked(projections, labels, pair_weights)
    except ValueError as error:
        refused = error
    # A process that refused its batch still takes part in this exchange, so that no other waits for it in vain.
    header = [0] * 7 if flat is None else _header(flat, labels, pair_weights)
    headers = distributed.exchange(header, projections.device)
    if refused is not None:
        raise refused
    _check_agreement(headers)
    assert flat is not None
    sizes = [rows for rows, *_ in headers]
    everyone = Rows(
        distributed.gather(flat.projections, sizes),
        distributed.gather(flat.label, sizes),
        flat.views,
        all_labelled=False,
    )
    rank = distributed.rank()
    return Batch(everyone, sum(sizes[:rank]), sizes[rank], shared=True)


def _header(flat: Rows, labels: Tensor | None, pair_weights: Tensor | None) -> list[int]:
    weights = (-1, -1) if pair_weights is None else pair_weights.shape
    double = flat.projections.dtype == torch.float64
    return [len(flat.label), flat.views, flat.projections.shape[1], int(double), int(labels is not None), *weights]


def _check_agreement(headers: list[list[int]]) -> None:
    """Every process sees the same headers and so comes to the same end."""
    refused = [rank for rank, header in enumerate(headers) if header[2] == 0]
    if refused:
        raise ValueError(f"projections, labels or pair_weights were refused by process {refused[0]}; see its error.")
    for name, place in {"views": 1, "dim": 2, "float64 projections": 3, "labels": 4}.items():
        found = sorted({header[place] for header in headers})
        if len(found) > 1:
            raise ValueError(f"all processes must have the same {name}, got {found}.")
    total = sum(header[0] for header in headers)
    for rows, *_, height, width in headers:
        if (height, width) not in ((-1, -1), (rows, total)):
            raise ValueError(
                f"pair_weights must have shape [{rows}, {total}], own rows and all rows, got [{height}, {width}]."
            )

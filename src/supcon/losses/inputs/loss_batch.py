"""The rows of a loss: this process's batch, or the batches of all processes one after the other."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from zlib import crc32

import torch
from torch import Tensor

from supcon.losses.inputs import gathering
from supcon.losses.inputs.flat_rows import FlatRows, flatten
from supcon.losses.inputs.gathering import Group

Check = Callable[[FlatRows], None]
"""Checks the other arguments of a loss; raises an error if one is wrong."""


@dataclass(frozen=True)
class LossBatch:
    """A flat batch, and which of its rows are this process's."""

    flat: FlatRows
    first: int
    """The first row of this process."""
    count: int
    """Number of rows of this process."""
    shared: bool
    """Whether the batch has rows of other processes."""

    def spread(self, values: Tensor, step: int) -> Tensor:
        """From [anchor] to [row] of this process: 0 or False for rows that are not anchors."""
        if step == 1:
            return values
        return values.new_zeros(self.count).index_copy(
            0, torch.arange(0, self.count, step, device=values.device), values
        )


def collect(
    projections: Tensor,
    labels: Tensor | None,
    *,
    pair_weights: Tensor | None = None,
    check: Check | None = None,
    settings: Mapping[str, object] | None = None,
    gather_distributed: bool = False,
    process_group: Group = None,
) -> LossBatch:
    """Checks and flattens the batch, and gathers it from all processes if `gather_distributed`.

    Args:
        projections: [batch, view, dim] or [row, dim].
        labels: [batch] or [row]; None: all unlabelled.
        pair_weights: [row, row], or [own row, row of all processes]; only its shape is checked.
        check: checks the other arguments; its errors are reported to the other processes.
        settings: settings that must be the same in all processes.
        gather_distributed: whether to include the rows of other processes, if there are any.
        process_group: which processes; None: all.

    Raises:
        ValueError: if an argument is wrong; then all processes raise an error.
    """
    if gather_distributed and gathering.has_other_processes(process_group):
        return _collect_all(projections, labels, pair_weights, check, settings or {}, process_group)
    flat = _checked(projections, labels, check)
    if pair_weights is not None:
        _check_pair_weights(flat.label.shape[0], flat.label.shape[0], pair_weights.shape, flat.views)
    return LossBatch(flat, 0, flat.label.shape[0], shared=False)


def _checked(projections: Tensor, labels: Tensor | None, check: Check | None) -> FlatRows:
    flat = flatten(projections, labels)
    if check is not None:
        check(flat)
    wide = flat.projections.dtype in (torch.float32, torch.float64)
    return flat if wide else flat._replace(projections=flat.projections.float())


def _collect_all(
    projections: Tensor,
    labels: Tensor | None,
    pair_weights: Tensor | None,
    check: Check | None,
    settings: Mapping[str, object],
    group: Group,
) -> LossBatch:
    refused, flat = None, None
    try:
        flat = _checked(projections, labels, check)
    except Exception as error:
        refused = error
    # A process with a wrong argument still takes part in this exchange; otherwise the others would wait forever.
    names = [*_HEADER, *sorted(settings)]
    header = [-1.0] * len(names) if flat is None else _header(flat, labels, pair_weights, settings)
    headers = [dict(zip(names, numbers, strict=True)) for numbers in gathering.exchange(header, group)]
    if refused is not None:
        raise refused
    assert flat is not None
    _check_agreement(headers, settings)
    sizes = [int(header["rows"]) for header in headers]
    rows = flat.projections
    if any(header["gradient"] == _NEEDED for header in headers) and not rows.requires_grad:
        # The backward pass has a collective too: this process must take part in it for the others' gradients.
        rows = rows.detach().requires_grad_()
    everyone = FlatRows(gathering.gather(rows, sizes, group), gathering.gather(flat.label, sizes, group), flat.views)
    rank = torch.distributed.get_rank(group)
    return LossBatch(everyone, sum(sizes[:rank]), sizes[rank], shared=True)


_HEADER = ("rows", "views", "dim", "float64 projections", "labels", "gradient", "weights height", "weights width")
_OFF, _UNNEEDED, _NEEDED = 0, 1, 2
"""Gradients are off (`no_grad`); on, but the projections need none; on, and the projections need one."""


def _header(
    flat: FlatRows, labels: Tensor | None, pair_weights: Tensor | None, settings: Mapping[str, object]
) -> list[float]:
    rows, dim = flat.projections.shape
    height, width = (-1, -1) if pair_weights is None else pair_weights.shape
    gradient = (_NEEDED if flat.projections.requires_grad else _UNNEEDED) if torch.is_grad_enabled() else _OFF
    double = flat.projections.dtype == torch.float64
    own: list[float] = [rows, flat.views, dim, int(double), int(labels is not None), gradient, height, width]
    return own + [_as_number(settings[name]) for name in sorted(settings)]


def _as_number(setting: object) -> float:
    """A number that is the same in all processes for the same setting."""
    # The value of a learned temperature is not compared, since reading it would synchronize with its device.
    return 0.0 if isinstance(setting, Tensor) else float(crc32(str(setting).encode()))


def _check_agreement(headers: list[dict[str, float]], settings: Mapping[str, object]) -> None:
    """Raises an error if processes differ; all have the same headers, so all raise the same error."""
    refused = [rank for rank, header in enumerate(headers) if header["dim"] < 0]
    if refused:
        raise ValueError(f"process {refused[0]} refused its arguments of the loss; see the error of that process.")
    for name in ("views", "dim", "float64 projections", "labels", *settings):
        found = sorted({header[name] for header in headers})
        if len(found) > 1:
            values = "" if name in settings else f", got {[int(value) for value in found]}"
            raise ValueError(f"all processes must have the same {name}{values}.")
    gradients = {header["gradient"] for header in headers}
    if gradients >= {_OFF, _NEEDED}:
        raise ValueError("all processes must be under torch.no_grad() or none, got both.")
    everyone = int(sum(header["rows"] for header in headers))
    for header in headers:
        shape = header["weights height"], header["weights width"]
        _check_pair_weights(header["rows"], everyone, shape, int(header["views"]))


def _check_pair_weights(rows: float, everyone: int, shape: tuple[float, ...], views: int) -> None:
    if tuple(shape) in ((-1, -1), (rows, everyone)):
        return
    advice = ""
    if tuple(size * views for size in shape) == (rows, everyone):
        advice = (
            "; from weights of images, such as SupContrast's mask, you get those of rows by "
            f"mask.repeat_interleave({views}, 0).repeat_interleave({views}, 1)"
        )
    raise ValueError(
        f"pair_weights must have shape [{int(rows)}, {everyone}], own rows and all rows, "
        f"got {[int(size) for size in shape]}{advice}."
    )

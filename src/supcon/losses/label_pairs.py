"""Pairs by class: P(i) is the anchor's class but itself, or as much of it as a cap keeps; N(i) is every other class."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from supcon.losses.class_order import draw_class_order
from supcon.losses.class_similarity import class_similarity
from supcon.losses.exclusion import ClassExcluded, Exclusion, NothingExcluded, SelfExcluded
from supcon.losses.pairs import Pairs, Source
from supcon.losses.positives import Cap, ClassPositives
from supcon.losses.rows import EXACT_LABELS, Rows
from supcon.losses.tiles import are_few, are_very_few


class _Members(NamedTuple):
    """Rows in the order in which tiles see them."""

    projections: Tensor
    """[member, dim]"""
    class_index: Tensor
    """[member]"""
    row: Tensor | None
    """[member]: which row of its source each is; None: all rows in order."""

    def take(self, of_rows: Tensor) -> Tensor:
        """From [row] to [member]."""
        return of_rows if self.row is None else of_rows[self.row]


def label_pairs(
    sources: Sequence[Rows],
    anchor_row: Tensor | None,
    *,
    temperature: float,
    in_range: bool,
    max_positives: int | None = None,
    by_class: bool = False,
    generator: torch.Generator | None = None,
) -> Pairs:
    """Pair anchors with all rows of the batch, and of a queue.

    Args:
        sources: the batch and, if there is one, the queue.
        anchor_row: [anchor], the rows of the batch that are anchors, in rising order; None: all.
        temperature: tau.
        in_range: no |row . row| / temperature is above `EXPONENT_RANGE`.
        max_positives: the cap of Table 5.
        by_class: whether any sum but the one over A(i) will be asked for; those need the rows sorted by class.
        generator: draws which positives a cap keeps.
    """
    label = sources[0].label if len(sources) == 1 else torch.cat([rows.label for rows in sources])
    pairs = (len(sources[0].label) if anchor_row is None else len(anchor_row)) * len(label)
    class_index, class_size = (_narrow(label), None) if are_very_few(pairs) else _number(label)
    split = class_index.split_with_sizes([len(rows.label) for rows in sources])
    is_sorted = by_class and not are_few(pairs)
    columns = [_members(rows, part, is_sorted) for rows, part in zip(sources, split, strict=True)]
    own = _own_columns(columns[0], anchor_row)
    anchors = columns[0] if own is None else _chosen(columns[0], own)
    itself: list[Exclusion] = [SelfExcluded(own), *(NothingExcluded() for _ in sources[1:])]
    caps = _caps(sources, label, anchors, columns, max_positives, generator)
    return Pairs(
        anchors=anchors.projections,
        row=anchors.row,
        sources=[_source(anchors, *part, is_sorted=is_sorted) for part in zip(columns, itself, caps, strict=True)],
        capped=max_positives is not None,
        weighted=False,
        positive_weight=_positive_counts(anchors, class_size, max_positives),
        class_similarity=_class_similarity(anchors, columns, class_size, temperature, max_positives),
        temperature=temperature,
        in_range=in_range,
    )


def _number(label: Tensor) -> tuple[Tensor, Tensor]:
    """Every row's class as a number from 0 up, and how many rows each class has."""
    _, class_index, class_size = torch.unique(label, return_inverse=True, return_counts=True)
    return class_index, class_size


def _narrow(label: Tensor) -> Tensor:
    """Numbers that float32 tells apart: the labels themselves, or their places if they are too large."""
    return label if label.max() < EXACT_LABELS else _number(label)[0]


def _positive_counts(anchors: _Members, class_size: Tensor | None, most: int | None) -> Tensor | None:
    if class_size is None:
        return None
    positives = (class_size - 1).to(anchors.projections.dtype)[anchors.class_index]
    return positives if most is None else positives.clamp(max=most)


def _members(rows: Rows, class_index: Tensor, is_sorted: bool) -> _Members:
    if not is_sorted:
        return _Members(rows.projections, class_index, None)
    row = class_index.argsort(stable=True)
    return _Members(rows.projections.index_select(0, row), class_index[row], row)


def _own_columns(batch: _Members, anchor_row: Tensor | None) -> Tensor | None:
    """Where the anchors stand among the batch's columns, in rising order; None: they are the columns."""
    if anchor_row is None or batch.row is None:
        return anchor_row
    place = torch.arange(len(batch.row), device=batch.row.device)
    return torch.empty_like(place).scatter_(0, batch.row, place)[anchor_row].sort().values


def _chosen(columns: _Members, own: Tensor) -> _Members:
    row = own if columns.row is None else columns.row[own]
    return _Members(columns.projections.index_select(0, own), columns.class_index[own], row)


def _source(anchors: _Members, columns: _Members, itself: Exclusion, cap: Cap | None, *, is_sorted: bool) -> Source:
    dtype = columns.projections.dtype
    classes = anchors.class_index.to(dtype), columns.class_index.to(dtype)
    return Source(
        columns=columns.projections,
        other=itself,
        negative=ClassExcluded(*classes, is_sorted),
        positive=ClassPositives(*classes, is_sorted, cap, itself, dtype),
    )


def _caps(
    sources: Sequence[Rows],
    label: Tensor,
    anchors: _Members,
    columns: Sequence[_Members],
    most: int | None,
    generator: torch.Generator | None,
) -> list[Cap | None]:
    """One for each source; the order of a class goes through all of them."""
    if most is None:
        return [None] * len(sources)
    images = [sources[0].image, *(len(sources[0].label) + rows.image for rows in sources[1:])]
    order = draw_class_order(label, torch.cat(images), generator)
    count, dtype = len(sources[0].label), anchors.projections.dtype
    begin, size = anchors.take(order.begin[:count]).to(dtype), anchors.take(order.size[:count]).to(dtype)
    positions = order.position.to(dtype).split_with_sizes([len(rows.label) for rows in sources])
    return [Cap(most, begin, size, part.take(place)) for part, place in zip(columns, positions, strict=True)]


def _class_similarity(
    anchors: _Members,
    columns: Sequence[_Members],
    class_size: Tensor | None,
    temperature: float,
    max_positives: int | None,
) -> Callable[[], Tensor] | None:
    if class_size is None or max_positives is not None:
        return None
    (batch, *queues), classes = columns, len(class_size)

    def similarity() -> Tensor:
        sums = batch.projections.new_zeros(classes, batch.projections.shape[1])
        for queue in queues:
            sums.index_add_(0, queue.class_index, queue.projections)
        pairs = (anchors.projections, batch.projections, anchors.class_index, batch.class_index)
        return class_similarity(*pairs, sums, temperature)

    return similarity

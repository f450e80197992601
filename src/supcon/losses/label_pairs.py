"""Pairs by class: P(i) is the anchor's class but itself, or as much of it as a cap keeps; N(i) is every other class."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from supcon.losses.class_order import ClassOrder, draw_class_order
from supcon.losses.exclusion import ClassExcluded, Exclusion, NothingExcluded, SelfExcluded
from supcon.losses.pairs import FEW_PAIRS, Pairs, Source
from supcon.losses.positives import Cap, ClassPositives
from supcon.losses.rows import Rows


class _Columns(NamedTuple):
    """The rows of a batch or a queue, in the order in which tiles see them."""

    projections: Tensor
    label: Tensor
    row: Tensor
    """[column]: where the column stands in batch and queue laid end to end."""


def label_pairs(
    sources: Sequence[Rows],
    anchor_row: Tensor | None,
    *,
    temperature: float,
    largest: float,
    max_positives: int | None = None,
    by_class: bool = False,
    generator: torch.Generator | None = None,
) -> Pairs:
    """Pair anchors with all rows of the batch, and of a queue.

    Args:
        sources: the batch and, if there is one, the queue.
        anchor_row: [anchor], the rows of the batch that are anchors, in rising order; None: all.
        temperature: tau.
        largest: a bound of |row . row|.
        max_positives: the cap of Table 5.
        by_class: whether any sum but the one over A(i) will be asked for; those need the rows sorted by class.
        generator: draws which positives a cap keeps.
    """
    label = torch.cat([rows.label for rows in sources])
    image = torch.cat([rows.image for rows in sources])
    order = None if max_positives is None else draw_class_order(label, image, generator)
    few = len(label) * (len(sources[0].label) if anchor_row is None else len(anchor_row)) <= FEW_PAIRS
    columns = _columns(sources, by_class and not few)
    own = _own_columns(columns[0], anchor_row, by_class and not few)
    batch = columns[0]
    anchors = batch if own is None else _Columns(batch.projections[own], batch.label[own], batch.row[own])
    _, class_index, class_size = torch.unique(label, return_inverse=True, return_counts=True)
    positives = class_size[class_index[anchors.row]] - 1
    return Pairs(
        anchors=anchors.projections,
        row=anchors.row,
        sources=[
            _source(
                anchors,
                part,
                SelfExcluded(own) if part is batch else NothingExcluded(),
                _cap(order, max_positives, anchors, part),
            )
            for part in columns
        ],
        complete=max_positives is None,
        few=few,
        positive_weight=(positives if max_positives is None else positives.clamp(max=max_positives)).to(
            anchors.projections.dtype
        ),
        class_similarity=_class_similarity(anchors, columns, class_index, len(class_size), temperature)
        if max_positives is None
        else None,
        temperature=temperature,
        largest=largest,
    )


def _columns(sources: Sequence[Rows], by_class: bool) -> list[_Columns]:
    columns, offset = [], 0
    for rows in sources:
        if by_class:
            place = rows.label.argsort(stable=True)
            columns.append(_Columns(rows.projections[place], rows.label[place], offset + place))
        else:
            place = torch.arange(len(rows.label), device=rows.label.device)
            columns.append(_Columns(rows.projections, rows.label, offset + place))
        offset += len(rows.label)
    return columns


def _own_columns(batch: _Columns, anchor_row: Tensor | None, by_class: bool) -> Tensor | None:
    """Where the anchors stand among the batch's columns, in rising order; None: they are the columns."""
    if anchor_row is None or not by_class:
        return anchor_row
    place = torch.arange(len(batch.row), device=batch.row.device)
    return torch.empty_like(place).scatter_(0, batch.row, place)[anchor_row].sort().values


def _source(anchors: _Columns, columns: _Columns, itself: Exclusion, cap: Cap | None) -> Source:
    return Source(
        columns=columns.projections,
        other=itself,
        negative=ClassExcluded(anchors.label, columns.label),
        positive=ClassPositives(anchors.label, columns.label, cap, itself),
    )


def _cap(order: ClassOrder | None, most: int | None, anchors: _Columns, columns: _Columns) -> Cap | None:
    if order is None or most is None:
        return None
    return Cap(most, order.begin[anchors.row], order.size[anchors.row], order.position[columns.row])


def _class_similarity(
    anchors: _Columns, columns: Sequence[_Columns], class_index: Tensor, classes: int, temperature: float
) -> Callable[[], Tensor]:
    """The sum of z_i . z_p over P(i) is z_i . (S - z_i), with S the sum of the class: no pair is looked at."""

    def similarity() -> Tensor:
        dim = anchors.projections.shape[1]
        total = anchors.projections.new_zeros(classes, dim)
        for part in columns:
            total = total.index_add(0, class_index[part.row], part.projections)
        rest = total.index_select(0, class_index[anchors.row]) - anchors.projections
        return (anchors.projections * rest).sum(1) / temperature

    return similarity

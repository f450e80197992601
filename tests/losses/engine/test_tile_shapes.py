"""How the matrix is cut into tiles."""

import pytest
import torch

from supcon.losses.engine import tile_operator, tile_shapes
from supcon.losses.engine.pair_sets import Block, Members


def test_pairs_of_half_a_matrix_are_those_of_its_tiles() -> None:
    """The room for what is kept comes from a formula; a tile that did not fit would be computed twice."""
    for count in (1, 4, 6, 8, 9, 23):
        members = Members(torch.zeros(count, 1), torch.zeros(2, count))
        block = Block(anchors=members, columns=members)
        shape = tile_shapes.TileShape(4, 7, kept=0)
        spans = tile_shapes.mask_spans(block, 4, by_class=False, is_sorted=False, first=0, step=1)
        found = tile_shapes.tiles(block, spans, shape, half=True, near_only=False)
        sizes = [(t.anchors.stop - t.anchors.start) * (t.columns.stop - t.columns.start) for t in found]
        assert sum(sizes) == tile_operator._half(count, 4)


def block(anchor_class: list[int], column_class: list[int]) -> Block:
    anchors, columns = (
        Members(torch.zeros(len(classes), 1), torch.tensor([classes, list(range(len(classes)))], dtype=torch.float32))
        for classes in (anchor_class, column_class)
    )
    return Block(anchors=anchors, columns=columns)


@pytest.mark.parametrize("near_only", [False, True])
def test_tiles_cover_every_pair_once_and_their_spans_hold_every_pair_of_a_class(near_only: bool) -> None:
    classes = sorted([0] * 5 + [1] * 2 + [2] * 9 + [3])
    pairs = block(classes, classes)
    spans = tile_shapes.mask_spans(pairs, 4, by_class=True, is_sorted=True, first=0, step=1)
    covered, masked = torch.zeros(17, 17), torch.zeros(17, 17)
    for tile in tile_shapes.tiles(pairs, spans, tile_shapes.TileShape(4, 7, 0), half=False, near_only=near_only):
        covered[tile.anchors, tile.columns] += 1
        if tile.near is not None:
            masked[tile.anchors, tile.near] += 1
            assert covered[tile.anchors, tile.columns][:, tile.inside].shape == masked[tile.anchors, tile.near].shape
    same = torch.tensor(classes)[:, None] == torch.tensor(classes)
    assert bool((masked[same] == 1).all())
    assert masked.sum() < 17 * 17
    assert bool((covered[same] == 1).all()) if near_only else bool((covered == 1).all())


def test_without_classes_only_the_anchors_themselves_need_masks() -> None:
    pairs = block([0] * 3, [0] * 12)
    assert tile_shapes.mask_spans(pairs, 2, by_class=False, is_sorted=False, first=4, step=2) == [(4, 7), (8, 9)]
    assert tile_shapes.mask_spans(pairs, 2, by_class=True, is_sorted=False, first=4, step=2) == [(0, 12), (0, 12)]

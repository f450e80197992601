"""Positives and negatives of a block, against loops over single pairs."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from supcon.losses.engine.pair_sets import EMPTY, QUEUED, Block, Members, Pairs


def members(classes: list[int], rows: list[int]) -> Members:
    return Members(torch.zeros(len(classes), 2), torch.tensor([classes, rows], dtype=torch.float32))


@settings(deadline=None, max_examples=50)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=6), st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_sets_of_the_batch_and_of_a_queue(batch: list[int], queued: list[int]) -> None:
    rows = list(range(len(batch)))
    anchors = members(batch, rows)
    in_batch = Block(anchors=anchors, columns=anchors).sets()
    for i in rows:
        for a in rows:
            positive = batch[i] == batch[a] and i != a
            assert in_batch.weights[i, a] == positive
            assert in_batch.negative[i, a] == (batch[i] != batch[a])
            assert in_batch.in_denominator("others")[i, a] == (i != a)
            assert in_batch.in_denominator("negatives")[i, a] == (batch[i] != batch[a])
    # The first slot of the queue was never filled; its class is one that no anchor has.
    slots = [9, *queued]
    queue = members(slots, [EMPTY] + [QUEUED] * len(queued))
    in_queue = Block(anchors=anchors, columns=queue, is_queue=True).sets()
    for i in rows:
        for c, label in enumerate(slots):
            assert in_queue.weights[i, c] == (label == batch[i])
            assert in_queue.negative[i, c] == (c > 0 and label != batch[i])
            assert in_queue.in_denominator("others")[i, c] == (c > 0)


def test_pair_weights_replace_the_classes() -> None:
    anchors = members([0, 0, 1], [0, 1, 2])
    weights = torch.tensor([[5.0, 0.5, 0.0], [0.5, 5.0, 1.0], [0.0, 1.0, 5.0]])
    sets = Block(anchors=anchors, columns=anchors, pair_weights=weights).sets()
    assert sets.weights.tolist() == [[0, 0.5, 0], [0.5, 0, 1], [0, 1, 0]]
    assert sets.negative.tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]


@pytest.mark.parametrize("over", ["others", "kept", "negatives"])
def test_a_part_of_a_block_has_the_part_of_its_sets(over: str) -> None:
    anchors = members([0, 1, 0, 1, 2], list(range(5)))
    block = Block(anchors=anchors, columns=anchors)
    part = block.sets(slice(1, 4), slice(2, 5))
    assert torch.equal(part.weights, block.sets().weights[1:4, 2:5])
    assert torch.equal(part.in_denominator(over), block.sets().in_denominator(over)[1:4, 2:5])


def test_without_negatives_of_the_batch_only_positives_are_in_the_denominator() -> None:
    anchors = members([0, 0, 1], [0, 1, 2])
    sets = Block(anchors=anchors, columns=anchors, counts_negatives=False).sets()
    assert sets.in_denominator("others").tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert sets.in_denominator("negatives").sum() == 0


def test_pairs_count_the_batch_and_the_queue() -> None:
    anchors = members([0, 1], [0, 2])
    pairs = Pairs(
        anchors=anchors, columns=members([0, 0, 1, 1], [0, 1, 2, 3]), queue=members([0] * 5, [QUEUED] * 5), first=0,
        step=2, pair_weights=None, max_positives=None, batch_negatives=True, in_range=True,
    )  # fmt: skip
    assert pairs.count == 2 * (4 + 5)
    assert [block.is_queue for block in pairs.blocks] == [False, True]

"""Sums over tiles, forward and backward, against the same sums over the whole matrix by autograd."""

import pytest
import torch
from torch import Tensor

from supcon.losses.engine import tile_shapes
from supcon.losses.engine.pair_sets import EMPTY, QUEUED, Block, Members
from supcon.losses.engine.positive_sums import POSITIVE_SUMS
from supcon.losses.engine.tile_sums import Task, backward_sums, forward_sums

CLASSES = [0, 0, 0, 1, 1, 2, 3, 3, 3, 3, 3]
COUNT = len(CLASSES)


def task(over: str, positive: str, *, half: bool, in_range: bool, vectors: list[Tensor], n: Tensor) -> Task:
    table = torch.tensor([CLASSES, list(range(COUNT))], dtype=torch.float64)
    queued = torch.tensor([[0, 1, 7, 9], [QUEUED, QUEUED, QUEUED, EMPTY]], dtype=torch.float64)
    anchors = Members(vectors[0], table)
    columns = anchors if half else Members(vectors[1], table)
    batch = Block(anchors=anchors, columns=columns)
    queue = Block(anchors=anchors, columns=Members(vectors[2], queued), is_queue=True)
    negatives = n if positive.startswith("one_positive") else None
    return Task(
        blocks=[batch, queue], over=over, positive=positive, negatives=negatives, first=0, step=1, half=half,
        in_range=in_range,
    )  # fmt: skip


def whole(given: Task, vectors: list[Tensor], n: Tensor) -> tuple[Tensor, Tensor]:
    """Both sums from matrices."""
    columns = [vectors[0] if given.half else vectors[1], vectors[2]]
    s = torch.cat([vectors[0] @ part.t() for part in columns], 1)
    sets = [block.sets() for block in given.blocks]
    weights = torch.cat([one.weights for one in sets], 1)
    log_sum, positive = torch.zeros(COUNT, dtype=s.dtype), torch.zeros(COUNT, dtype=s.dtype)
    if given.over != "none":
        inside = torch.cat([one.in_denominator(given.over) for one in sets], 1)
        log_sum = s.masked_fill(inside == 0, -torch.inf).logsumexp(1)
    if given.positive != "none":
        positive = POSITIVE_SUMS[given.positive].value(s, weights, n[:, None])
    return log_sum, positive


SUMS = [("others", "none"), ("negatives", "log_sum_exp"), ("others", "similarity"), ("none", "one_positive_out"),
        ("none", "one_positive_in")]  # fmt: skip


@pytest.mark.parametrize(("half", "in_range"), [(True, True), (False, True), (False, False)])
@pytest.mark.parametrize(("over", "positive"), SUMS)
def test_tiles_give_the_sums_and_gradients_of_the_whole_matrix(
    over: str, positive: str, half: bool, in_range: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tile_shapes, "CPU_TILE", tile_shapes.TileShape(4, 3, kept=0))
    torch.manual_seed(0)
    vectors = [torch.randn(count, 3, dtype=torch.float64, requires_grad=True) for count in (COUNT, COUNT, 4)]
    n = torch.randn(COUNT, dtype=torch.float64, requires_grad=True)
    plain = [vector.detach() for vector in vectors]
    given = task(over, positive, half=half, in_range=in_range, vectors=plain, n=n.detach())
    expected = whole(given, vectors, n)
    kept = torch.empty(40, dtype=torch.float64)
    found = forward_sums(given, kept)
    # A class of one row has no positive, and its sum is that of an empty set.
    used = [over != "none", positive != "none"]
    for is_used, ours, theirs in zip(used, found, expected, strict=True):
        if is_used:
            finite = theirs.isfinite() & (theirs > -1e20)
            torch.testing.assert_close(ours[finite], theirs[finite].detach())
    weights = [torch.randn(COUNT, dtype=torch.float64) * is_used for is_used in used]
    weights[1][5] = 0
    total = sum((w * value.nan_to_num(neginf=0)).sum() for w, value in zip(weights, expected, strict=True))
    assert isinstance(total, Tensor)
    expected_gradients = torch.autograd.grad(total, [*vectors, n], allow_unused=True)
    gradients = backward_sums(given, kept, found, (weights[0], weights[1]), with_queue=True)
    for gradient, other in zip(gradients, expected_gradients, strict=True):
        # A gradient that nothing asks for is empty, and None by autograd.
        if gradient.numel() and other is not None:
            torch.testing.assert_close(gradient, other)

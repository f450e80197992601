"""Batches of more rows than a tile: the real tiles, the precision of float32, and the memory."""

import subprocess
import sys
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import normalize

from supcon.losses import MemoryQueue, supcon_loss
from supcon.losses.engine import tile_operator, tile_shapes
from supcon.losses.engine.pair_sets import Block, Members

ROWS = 2300
"""More than one tile either way, and no multiple of either side."""


def dense_loss(
    projections: Tensor, labels: Tensor, columns: Tensor, column_labels: Tensor, summation: str, denominator: str
) -> Tensor:
    """The losses as one reads them, with every matrix in memory, in float64; columns begin with the anchors."""
    similarity = normalize(projections, dim=1) @ normalize(columns, dim=1).t() / 0.1
    itself = torch.eye(len(projections), len(columns), dtype=torch.bool)
    same = labels[:, None] == column_labels
    positive = same & ~itself
    over_negatives = similarity.masked_fill(same, -torch.inf).logsumexp(1, keepdim=True)
    log_denominator = {
        "all": similarity.masked_fill(itself, -torch.inf).logsumexp(1, keepdim=True),
        "one_positive": torch.logaddexp(similarity, over_negatives),
        "negatives": over_negatives,
    }[denominator]
    log_ratio = similarity - log_denominator
    count = positive.sum(1)
    if summation == "out":
        values = -(log_ratio.masked_fill(~positive, 0).sum(1) / count)
    else:
        values = count.log() - log_ratio.masked_fill(~positive, -torch.inf).logsumexp(1)
    return values.mean()


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


@pytest.mark.parametrize("summation", ["out", "in"])
@pytest.mark.parametrize(("denominator", "queued"), [("all", 0), ("one_positive", 0), ("negatives", 0), ("all", 700)])
def test_float32_agrees_with_dense_float64(summation: Any, denominator: Any, queued: int) -> None:
    torch.manual_seed(0)
    centres = torch.randn(30, 16, dtype=torch.float64)
    labels = torch.randint(0, 30, (ROWS + queued,))
    rows = centres[labels] + torch.randn(ROWS + queued, 16, dtype=torch.float64)
    batch = rows[:ROWS].clone().requires_grad_()
    columns = torch.cat([batch, rows[ROWS:]])
    expected = dense_loss(batch, labels[:ROWS], columns, labels, summation, denominator)
    (expected_gradient,) = torch.autograd.grad(expected, batch)
    queue = MemoryQueue(1000, 16)
    queue.enqueue(rows[ROWS:].float(), labels[ROWS:])
    projections = batch.detach().float().requires_grad_()
    loss = supcon_loss(projections, labels[:ROWS], summation=summation, denominator=denominator, queue=queue)
    (gradient,) = torch.autograd.grad(loss, projections)
    assert abs(loss.item() / expected.item() - 1) < 1e-5
    assert (gradient - expected_gradient).norm() / expected_gradient.norm() < 1e-5


MEMORY = """
import resource, torch
from supcon.losses import supcon_loss
torch.set_num_threads(1)
projections, labels = torch.randn(12000, 32, requires_grad=True), torch.randint(0, 50, (12000,))
few = torch.randn(1500, 32, requires_grad=True)
for options in ({}, {"summation": "in"}, {"denominator": "one_positive"}, {"max_positives": 4}):
    supcon_loss(few, labels[:1500], **options).backward()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for options in ({}, {"summation": "in"}, {"denominator": "one_positive"}, {"max_positives": 4}):
    supcon_loss(projections, labels, **options).backward()
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


def test_memory_is_far_below_that_of_one_matrix() -> None:
    """One matrix of 12,000 rows is 576 MB; what the loss needs beyond a warm-up is a few vectors for every row."""
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 30

"""Batches of more rows than a tile: the real tiles, the precision of float32, the memory, no second derivative."""

import subprocess
import sys
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import normalize

from references.batches import make_batch
from supcon.losses import MemoryQueue, engine, n_pairs_loss, supcon_loss

OPTIONS: list[dict[str, Any]] = [
    {},
    {"summation": "in"},
    {"denominator": "one_positive"},
    {"max_positives": 1},
    {"pair_weights": torch.rand(6, 6, generator=torch.Generator().manual_seed(0))},
]
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


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", ["supcon", "n-pairs"])
def test_tiles_refuse_a_second_derivative(name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "FEW_PAIRS", -1)
    batch = make_batch([0, 1, 0], views=2)
    if name == "supcon":
        loss = supcon_loss(batch.projections, batch.labels, **options)
    else:
        loss = n_pairs_loss(batch.projections, batch.labels)
    (gradient,) = torch.autograd.grad(loss, batch.projections, create_graph=True)
    with pytest.raises(RuntimeError, match="first derivative only"):
        gradient.sum().backward()

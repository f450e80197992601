"""The pairs of a batch: scaled rows, classes as numbers, the working precision."""

from itertools import product
from typing import Any

import pytest
import torch

from references.batches import make_batch
from references.supcon_loops import class_sets, mean, row_losses, unit
from supcon.losses import MemoryQueue, engine, supcon_loss
from supcon.losses.engine.pair_sets import QUEUED
from supcon.losses.inputs import pairing
from supcon.losses.inputs.loss_batch import collect
from supcon.losses.inputs.pairing import make_pairs, scaled_rows

FORMULAS = list(product(("out", "in"), ("all", "one_positive", "negatives")))


@pytest.mark.parametrize("temperature", [1e-3, 0.02])
@pytest.mark.parametrize(("summation", "denominator"), FORMULAS)
@pytest.mark.parametrize("few", [2**20, -1], ids=["dense", "tiles"])
def test_float32_with_shifted_exponents_as_on_a_gpu(
    few: int, summation: Any, denominator: Any, temperature: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There float64 is slow or missing: what is lost are digits of s, 2**-23 / tau, and nothing overflows."""
    monkeypatch.setattr(engine, "FEW_PAIRS", few)
    monkeypatch.setattr(pairing, "WIDE_DEVICES", ())
    batch = make_batch([0, 1, 0, -1, 1], views=2)
    formula = {"temperature": temperature, "summation": summation, "denominator": denominator}
    sets = class_sets(batch.row_labels, batch.row_images)
    expected = mean(row_losses([unit(row) for row in batch.rows], *sets, **formula))
    (expected_gradient,) = torch.autograd.grad(expected, batch.projections)
    projections = batch.projections.detach().float().requires_grad_()
    loss = supcon_loss(projections, batch.labels, **formula)
    (gradient,) = torch.autograd.grad(loss, projections)
    assert abs(loss.item() / expected.item() - 1) < 1e-5
    assert (gradient - expected_gradient).norm() / expected_gradient.norm() < 2e-6 / temperature


def test_products_of_scaled_rows_are_similarities_over_tau() -> None:
    batch = collect(torch.randn(3, 2, 4, dtype=torch.float64), torch.tensor([5, -1, 5]))
    pairs = make_pairs(batch, temperature=0.2, normalize=True)
    unit_rows = torch.nn.functional.normalize(batch.flat.projections, dim=1)
    similarity = pairs.anchors.vectors @ pairs.columns.vectors.t()
    torch.testing.assert_close(similarity, unit_rows @ unit_rows.t() / 0.2)
    assert pairs.anchors is pairs.columns
    assert pairs.in_range
    # An unlabelled image is a class of its own.
    numbers = pairs.columns.table[0].tolist()
    assert numbers[0] == numbers[1] == numbers[4] == numbers[5] != numbers[2] == numbers[3]
    assert pairs.columns.table[1].tolist() == [0, 1, 2, 3, 4, 5]


def test_every_other_row_and_the_queue() -> None:
    queue = MemoryQueue(3, 4)
    queue.enqueue(torch.randn(2, 4), torch.tensor([5, 6]))
    batch = collect(torch.randn(3, 2, 4), torch.tensor([5, 6, 7]))
    pairs = make_pairs(batch, temperature=0.5, normalize=True, step=2, queue=queue)
    assert pairs.anchors.table[1].tolist() == [0, 2, 4]
    assert pairs.queue is not None
    classes, rows = pairs.queue.table.tolist()
    assert classes[:2] == [pairs.columns.table[0, 0].item(), pairs.columns.table[0, 2].item()]
    assert rows == [QUEUED, QUEUED]  # a CPU knows which slots are filled and leaves the third out


@pytest.mark.parametrize(
    ("temperature", "normalize", "dtype"),
    [(0.1, True, torch.float32), (0.01, True, torch.float64), (0.1, False, torch.float64)],
)
def test_a_cpu_takes_float64_where_float32_would_lose_digits(
    temperature: float, normalize: bool, dtype: torch.dtype
) -> None:
    batch = collect(torch.randn(3, 2, 4) * 10, torch.tensor([0, 1, 0]))
    pairs = make_pairs(batch, temperature=temperature, normalize=normalize)
    assert pairs.anchors.vectors.dtype == dtype
    assert scaled_rows(batch.flat, temperature, normalize).dtype == dtype

"""The queue: what it holds, in which order, and that it survives being saved."""

import warnings
from itertools import product
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from references.batches import make_batch
from references.supcon_loops import class_sets, kept_positives, mean, row_losses, unit
from supcon.losses import MemoryQueue, SupConLoss, supcon_loss, supcon_out_loss
from supcon.losses.inputs.class_order import draw_class_order

FORMULAS = list(product(("out", "in"), ("all", "one_positive", "negatives")))


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(3)


def numbered(start: int, count: int, dim: int = 2) -> torch.Tensor:
    return torch.arange(start, start + count, dtype=torch.float32)[:, None].expand(count, dim)


@settings(deadline=None)
@given(st.integers(1, 9), st.lists(st.integers(0, 12), max_size=6))
def test_it_holds_the_last_rows_in_order(size: int, counts: list[int]) -> None:
    queue, everything = MemoryQueue(size, 2), list[int]()
    for count in counts:
        start = len(everything)
        everything += range(start, start + count)
        queue.enqueue(numbered(start, count), torch.arange(start, start + count))
        projections, labels = queue.contents()
        assert labels.tolist() == everything[-size:]
        assert projections[:, 1].tolist() == everything[-size:]
        assert len(queue) == min(size, len(everything))


def test_views_lie_side_by_side_and_rows_without_labels_are_unlabelled() -> None:
    queue = MemoryQueue(10, 2)
    queue.enqueue(numbered(0, 6).reshape(3, 2, 2), torch.tensor([7, 8, 9]))
    queue.enqueue(numbered(6, 2))
    projections, labels = queue.contents()
    assert projections[:, 0].tolist() == list(range(8))
    assert labels.tolist() == [7, 7, 8, 8, 9, 9, -1, -1]


def test_all_of_it_is_in_the_state_dict() -> None:
    queue, other = MemoryQueue(5, 2), MemoryQueue(5, 2)
    queue.enqueue(numbered(0, 7), torch.arange(7))
    other.load_state_dict(queue.state_dict())
    for each in (queue, other):
        each.enqueue(numbered(7, 2), torch.arange(7, 9))
    assert other.contents()[1].tolist() == [4, 5, 6, 7, 8]
    assert torch.equal(other.contents()[0], queue.contents()[0])


def test_no_gradient_goes_in() -> None:
    queue = MemoryQueue(4, 2)
    projections = torch.randn(2, 2, requires_grad=True)
    queue.enqueue(projections, torch.tensor([0, 1]))
    assert not queue.contents()[0].requires_grad
    assert list(queue.parameters()) == []


def test_an_empty_queue_and_its_empty_slots_change_nothing() -> None:
    projections, labels = torch.randn(4, 2, 3, dtype=torch.float64), torch.tensor([0, 1, 0, 1])
    queue = MemoryQueue(100, 3).double()
    assert supcon_out_loss(projections, labels, queue=queue) == supcon_out_loss(projections, labels)
    past = torch.randn(2, 3, dtype=torch.float64)
    queue.enqueue(past, torch.tensor([0, 5]))
    exact = MemoryQueue(2, 3).double()
    exact.enqueue(past, torch.tensor([0, 5]))
    with_few = supcon_out_loss(projections, labels, queue=queue)
    assert with_few == supcon_out_loss(projections, labels, queue=exact)
    assert with_few != supcon_out_loss(projections, labels)


def test_it_equals_a_larger_batch_with_gradients_for_the_anchors_alone() -> None:
    torch.manual_seed(0)
    projections = torch.randn(6, 4, dtype=torch.float64, requires_grad=True)
    past, labels = torch.randn(5, 4, dtype=torch.float64), torch.tensor([0, 1, 2, 0, 1, 2, 0, 1, 5, 0, 2])
    queue = MemoryQueue(5, 4).double()
    queue.enqueue(past, labels[6:])
    loss = SupConLoss()(projections, labels[:6], queue=queue)
    rows = torch.cat([projections, past])
    joined = supcon_out_loss(rows, labels, reduction="none")[:6].mean()
    torch.testing.assert_close(loss, joined)
    gradients = [torch.autograd.grad(value, projections)[0] for value in (loss, joined)]
    torch.testing.assert_close(*gradients)


def test_reset_forgets_everything() -> None:
    queue = MemoryQueue(5, 2)
    queue.enqueue(numbered(0, 7), torch.arange(7))
    queue.reset()
    assert len(queue) == 0
    for mine, fresh in zip(queue.state_dict().values(), MemoryQueue(5, 2).state_dict().values(), strict=True):
        assert torch.equal(mine, fresh)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(("summation", "denominator"), FORMULAS)
@pytest.mark.parametrize("max_positives", [None, 2])
def test_it_can_stand_in_place_of_the_batchs_negatives(
    summation: Any, denominator: Any, max_positives: int | None
) -> None:
    batch = make_batch([0, 1, 0, 2], views=2)
    queue = MemoryQueue(8, 5, replaces_batch_negatives=True).double()
    past = torch.randn(6, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    queue.enqueue(past, torch.tensor([0, 1, 7, 8, 2, 9]))
    labels = [*batch.row_labels, 0, 1, 7, 8, 2, 9]
    positives, negatives = class_sets(labels, [*batch.row_images, *range(4, 10)], anchors=8)
    negatives = [{n for n in own if n >= 8} for own in negatives]
    formula: dict[str, Any] = {"temperature": 0.4, "summation": summation, "denominator": denominator}
    if max_positives is not None:
        order = draw_class_order(torch.tensor(labels), torch.tensor([*batch.row_images, *range(8, 14)]), generator())
        cycles = [[row for row in order.row.tolist() if labels[row] == name] for name in sorted(set(labels))]
        kept = kept_positives(cycles, [*batch.row_images, *range(8, 14)], max_positives)
        positives = [{p: 1.0 for p in own if p in kept[i]} for i, own in enumerate(positives)]
    rows = [unit(row) for row in [*batch.rows, *past]]
    expected = mean(row_losses(rows, positives, negatives, **formula))
    loss = supcon_loss(
        batch.projections, batch.labels, queue=queue, max_positives=max_positives, generator=generator(), **formula
    )
    torch.testing.assert_close(loss, expected)
    gradients = [torch.autograd.grad(value, batch.projections)[0] for value in (loss, expected)]
    torch.testing.assert_close(*gradients)


def test_in_place_of_negatives_with_weights() -> None:
    """Positives are those with a weight, however large; every other row of the batch is left out."""
    torch.manual_seed(0)
    projections, past = torch.randn(4, 3, dtype=torch.float64), torch.randn(3, 3, dtype=torch.float64)
    queue = MemoryQueue(3, 3, replaces_batch_negatives=True).double()
    queue.enqueue(past)
    weights = torch.tensor([[0.0, 2, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0.5], [0, 0, 3, 0]])
    found = supcon_out_loss(projections, pair_weights=weights, queue=queue, temperature=1.0)
    rows = [unit(row) for row in [*projections, *past]]
    positives = [{1: 1.0}, {0: 1.0}, {3: 1.0}, {2: 1.0}]
    torch.testing.assert_close(found, mean(row_losses(rows, positives, [{4, 5, 6}] * 4, temperature=1.0)))


def test_mocos_loss_is_that_of_lightly() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lightly = pytest.importorskip("lightly.loss")
    projections = torch.randn(6, 2, 4, requires_grad=True)
    peer = lightly.NTXentLoss(temperature=0.2, memory_bank_size=(8, 4))
    peer(torch.randn(8, 4), torch.randn(8, 4).requires_grad_())  # fills the bank with what it is given second
    bank = peer.memory_bank.bank.clone()
    expected = peer(projections[:, 0], projections[:, 1])
    queue = MemoryQueue(8, 4, replaces_batch_negatives=True)
    queue.enqueue(bank)
    found = SupConLoss(0.2, anchors="first_view")(projections, queue=queue)
    torch.testing.assert_close(found, expected)


def test_it_moves_and_prints_like_any_module() -> None:
    queue = MemoryQueue(4, 2)
    assert queue.to(torch.float64).contents()[0].dtype == torch.float64
    assert repr(queue) == "MemoryQueue(size=4, dim=2, gather_distributed=False)"
    assert "replaces_batch_negatives=True" in repr(MemoryQueue(4, 2, replaces_batch_negatives=True))


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match=r"size must be a whole number from 1 up, got 0"):
        MemoryQueue(0, 2)
    with pytest.raises(ValueError, match=r"dim must be a whole number from 1 up, got 2\.5"):
        MemoryQueue(4, 2.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="projections must be 2 wide as the queue is, got 3"):
        MemoryQueue(4, 2).enqueue(torch.randn(4, 3), torch.arange(4))
    with pytest.raises(ValueError, match=r"labels must have shape \[4\]"):
        MemoryQueue(4, 2).enqueue(torch.randn(4, 2), torch.arange(3))
    queue = MemoryQueue(4, 2)
    queue.enqueue(torch.randn(4, 2), torch.arange(4))
    with pytest.raises(ValueError, match="queue must hold projections of the batch's dim 3, got 2"):
        supcon_out_loss(torch.randn(4, 3), torch.arange(4), queue=queue)

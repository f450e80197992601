"""Micro-batches against the whole batch, against the three steps written out, and in two processes."""

import weakref
from pathlib import Path

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from references.gloo_processes import in_processes
from supcon.losses import MemoryQueue, SupConLoss
from supcon.stages.gradient_cache import in_micro_batches

DIM = 6


def network(*extra: nn.Module, seed: int = 0) -> nn.Sequential:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(DIM, 8), *extra, nn.ReLU(), nn.Linear(8, 4)).double()


def batch(images: int, seed: int = 1) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    rows = torch.randn(2 * images, DIM, dtype=torch.float64, generator=generator)
    return rows, torch.arange(images) % 3


def loss_of(projections: Tensor, labels: Tensor) -> Tensor:
    loss: Tensor = SupConLoss()(projections.unflatten(0, (-1, 2)), labels)
    return loss


def gradients(module: nn.Module) -> list[Tensor]:
    return [p.grad.clone() for p in module.parameters() if p.grad is not None]


def cached_step(module: nn.Module, rows: Tensor, labels: Tensor, size: int) -> tuple[Tensor, list[Tensor]]:
    module.zero_grad()
    loss = loss_of(in_micro_batches(module, rows, size), labels)
    loss.backward()
    return loss.detach(), gradients(module)


def three_steps(module: nn.Module, rows: Tensor, labels: Tensor, size: int) -> list[Tensor]:
    """Gradient caching written out; the random state of the first pass is set again for the second."""
    module.zero_grad()
    states, projections = [], []
    for part in rows.split(size):
        states.append(torch.get_rng_state())
        with torch.no_grad():
            projections.append(module(part))
    whole = torch.cat(projections).requires_grad_()
    loss_of(whole, labels).backward()
    assert whole.grad is not None
    torch.clear_autocast_cache()  # torch 2.7 would use the weights again that were cast without a gradient
    for part, gradient, state in zip(rows.split(size), whole.grad.split(size), states, strict=True):
        torch.set_rng_state(state)
        module(part).backward(gradient)
    return gradients(module)


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 12), st.integers(1, 26))
def test_the_gradient_is_that_of_the_whole_batch(images: int, size: int) -> None:
    module = network(nn.BatchNorm1d(8)).eval()
    rows, labels = batch(images)
    loss, found = cached_step(module, rows, labels, size)
    module.zero_grad()
    expected = loss_of(module(rows), labels)
    expected.backward()
    torch.testing.assert_close(loss, expected.detach(), rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(found, gradients(module), rtol=1e-9, atol=1e-12)


def test_in_single_precision_it_is_exact_to_one_in_a_million() -> None:
    module = network().float()
    rows, labels = batch(32)
    _, found = cached_step(module, rows.float(), labels, 10)
    module.zero_grad()
    loss_of(module(rows.float()), labels).backward()
    torch.testing.assert_close(found, gradients(module), rtol=0, atol=1e-6)


def test_batch_norm_has_the_statistics_of_the_micro_batch_and_averages_once() -> None:
    module, by_hand = network(nn.BatchNorm1d(8)), network(nn.BatchNorm1d(8))
    rows, labels = batch(8)
    _, found = cached_step(module, rows, labels, 4)
    torch.testing.assert_close(found, three_steps(by_hand, rows, labels, 4))
    once = network(nn.BatchNorm1d(8))
    for part in rows.split(4):
        once(part)
    for (name, value), expected in zip(module.named_buffers(), once.buffers(), strict=True):
        assert torch.equal(value, expected), name
    assert module[1].momentum == 0.1


def test_averages_over_all_batches_are_taken_once_too() -> None:
    module, once = network(nn.BatchNorm1d(8, momentum=None)), network(nn.BatchNorm1d(8, momentum=None))
    rows, labels = batch(8)
    cached_step(module, rows, labels, 4)
    for part in rows.split(4):
        once(part)
    for (name, value), expected in zip(module.named_buffers(), once.buffers(), strict=True):
        assert torch.equal(value, expected), name
    assert module[1].momentum is None


def test_dropout_drops_the_same_units_again() -> None:
    module = network(nn.Dropout(0.5))
    rows, labels = batch(8)
    torch.manual_seed(3)
    _, found = cached_step(module, rows, labels, 4)
    torch.manual_seed(3)
    expected = three_steps(module, rows, labels, 4)
    torch.testing.assert_close(found, expected)
    _, other = cached_step(module, rows, labels, 4)
    assert not torch.allclose(found[0], other[0])


class Remembers(nn.Module):
    """Notes how many rows it saw and which tensors it made."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[int] = []
        self.made: list[weakref.ref[Tensor]] = []

    def forward(self, x: Tensor) -> Tensor:
        hidden = x.exp()  # which autograd keeps
        self.seen.append(len(x))
        self.made.append(weakref.ref(hidden))
        return hidden * 2


def test_nothing_is_kept_of_the_first_pass() -> None:
    remembers = Remembers()
    module = network(remembers)
    rows, labels = batch(5)
    loss = loss_of(in_micro_batches(module, rows, 4), labels)
    assert [made() for made in remembers.made] == [None, None, None]
    loss.backward()
    assert remembers.seen == [4, 4, 2, 2, 4, 4]
    assert [made() for made in remembers.made] == [None] * 6


def test_one_micro_batch_and_no_gradient_need_no_second_pass() -> None:
    remembers = Remembers()
    rows, labels = batch(4)
    cached_step(network(remembers), rows, labels, 8)
    assert remembers.seen == [8]
    with torch.no_grad():
        in_micro_batches(network(remembers), rows, 4)
    assert remembers.seen == [8, 4, 4]


def test_mixed_precision_is_replayed() -> None:
    module = network().float()
    rows, labels = batch(8)
    with torch.autocast("cpu", torch.bfloat16):
        _, found = cached_step(module, rows.float(), labels, 4)
        module.zero_grad()
        loss_of(module(rows.float()), labels).backward()
    # bfloat16 keeps eight bits, and sums over four rows are rounded where those over sixteen are not.
    torch.testing.assert_close(found, gradients(module), rtol=0.05, atol=1e-3)
    with torch.autocast("cpu", torch.bfloat16):
        torch.testing.assert_close(found, three_steps(module, rows.float(), labels, 4), rtol=0.05, atol=1e-3)


def test_a_queue_and_a_gradient_scaler_notice_nothing() -> None:
    module = network()
    rows, labels = batch(6)
    queue = MemoryQueue(8, 4).double()
    queue.enqueue(module(rows)[:5].detach(), torch.tensor([0, 1, 2, 0, -1]))
    found, expected = (
        64 * SupConLoss()(projections.unflatten(0, (-1, 2)), labels, queue=queue)
        for projections in (in_micro_batches(module, rows, 4), module(rows))
    )
    first = torch.autograd.grad(expected, list(module.parameters()))
    torch.testing.assert_close(torch.autograd.grad(found, list(module.parameters())), first)


class Whole(nn.Module):
    """A step as Lightning wraps it: one call of DistributedDataParallel with all micro-batches inside."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.network, self.size = network(), size

    def forward(self, rows: Tensor) -> Tensor:
        return in_micro_batches(self.network, rows, self.size)


def test_two_processes_have_the_gradient_of_one(tmp_path: Path) -> None:
    in_processes(_two_processes, 2, tmp_path)


def _two_processes(rank: int, processes: int) -> None:
    del processes
    rows, labels = batch(12)
    alone = network()
    loss_of(alone(rows), labels).backward()
    shared = DistributedDataParallel(Whole(5))
    own = rows[12 * rank : 12 * rank + 12].unflatten(0, (-1, 2))
    for _ in range(2):  # a second step meets what the first one left in the exchange of gradients
        shared.zero_grad()
        projections = shared(own.flatten(0, 1)).unflatten(0, (-1, 2))
        SupConLoss(gather_distributed=True)(projections, labels[6 * rank : 6 * rank + 6]).backward()
        torch.testing.assert_close(gradients(shared), gradients(alone))

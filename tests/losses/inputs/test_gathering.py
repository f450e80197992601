"""Two and three processes: the loss and the gradients of one process with the whole batch."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from references.gloo_processes import LIMIT, in_processes
from supcon.losses import (
    Denominator,
    MemoryQueue,
    SupConLoss,
    n_pairs_loss,
    supcon_loss,
    supcon_row_losses,
    triplet_loss,
)

OPTIONS: list[dict[str, Any]] = [
    {},
    {"summation": "in"},
    {"denominator": "one_positive"},
    {"summation": "in", "denominator": "negatives", "temperature": 0.005},
    {"max_positives": 3},
    {"anchors": "first_view", "rescale": "temperature"},
    {"reduction": "sum", "normalize": False, "temperature": 2.0},
]


Job = Callable[[int, int], None]


def run_jobs(rank: int, processes: int, jobs: list[Job]) -> None:
    """One after another in the same processes, which take longer to start than to work."""
    for job in jobs:
        job(rank, processes)


def images_and_labels(sizes: list[int]) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1)
    images = torch.randn(sum(sizes), 2, 6, dtype=torch.float64, generator=generator)
    return images, torch.randint(-1, 3, (sum(sizes),), generator=generator)


def projection() -> nn.Linear:
    torch.manual_seed(2)
    return nn.Linear(6, 4).double()


def filled_queue() -> MemoryQueue:
    queue = MemoryQueue(8, 4).double()
    generator = torch.Generator().manual_seed(3)
    queue.enqueue(torch.randn(5, 4, dtype=torch.float64, generator=generator), torch.tensor([0, 1, -1, 2, 0]))
    return queue


def share(sizes: list[int], rank: int) -> slice:
    return slice(sum(sizes[:rank]), sum(sizes[: rank + 1]))


def check_equal_batches(rank: int, processes: int) -> None:
    check_equal_to_one_process(rank, [4] * processes)


def check_unequal_batches(rank: int, processes: int) -> None:
    check_equal_to_one_process(rank, [5, 2] if processes == 2 else [1, 6, 0])


def check_equal_to_one_process(rank: int, sizes: list[int]) -> None:
    images, labels = images_and_labels(sizes)
    own = share(sizes, rank)
    for options in OPTIONS:
        for queue in (None, filled_queue()):
            alone = projection()
            expected = SupConLoss(**options)(
                alone(images), labels, queue=queue, generator=torch.Generator().manual_seed(4)
            )
            expected.backward()
            model = DistributedDataParallel(projection())
            loss = SupConLoss(**options, gather_distributed=True)(
                model(images[own]), labels[own], queue=queue, generator=torch.Generator().manual_seed(4)
            )
            loss.backward()
            torch.testing.assert_close(loss, expected)
            assert model.module.weight.grad is not None
            torch.testing.assert_close(model.module.weight.grad, alone.weight.grad)


def check_without_labels(rank: int, processes: int) -> None:
    images, _ = images_and_labels([4] * processes)
    expected = SupConLoss()(projection()(images))
    found = SupConLoss(gather_distributed=True)(projection()(images[share([4] * processes, rank)]))
    torch.testing.assert_close(found, expected)


def check_row_values(rank: int, processes: int) -> None:
    sizes = [3] * processes
    images, labels = images_and_labels(sizes)
    rows = projection()(images).detach().requires_grad_()
    expected = supcon_row_losses(rows, labels, summation="in")
    (expected_gradient,) = torch.autograd.grad((expected.values * torch.arange(6 * processes)).sum(), rows)
    own = rows[share(sizes, rank)].detach().requires_grad_()
    values, anchors = supcon_row_losses(own, labels[share(sizes, rank)], summation="in", gather_distributed=True)
    first = 6 * rank
    torch.testing.assert_close(values, expected.values[first : first + 6])
    assert torch.equal(anchors, expected.anchors[first : first + 6])
    (gradient,) = torch.autograd.grad((values * torch.arange(first, first + 6)).sum(), own)
    torch.testing.assert_close(gradient, expected_gradient[share(sizes, rank)])


def check_pair_weights(rank: int, processes: int) -> None:
    sizes = [3, 5]
    images, _ = images_and_labels(sizes)
    weights = torch.rand(16, 16, generator=torch.Generator().manual_seed(5)).round(decimals=1)
    denominators: tuple[Denominator, ...] = ("all", "one_positive")
    for denominator in denominators:
        alone = projection()
        expected = SupConLoss(denominator=denominator)(alone(images), pair_weights=weights)
        expected.backward()
        model = DistributedDataParallel(projection())
        loss = SupConLoss(denominator=denominator, gather_distributed=True)(
            model(images[share(sizes, rank)]), pair_weights=weights[share([6, 10], rank)]
        )
        loss.backward()
        torch.testing.assert_close(loss, expected)
        torch.testing.assert_close(model.module.weight.grad, alone.weight.grad)


def check_special_cases(rank: int, processes: int) -> None:
    sizes = [4, 3]
    images, labels = images_and_labels(sizes)
    for function in (n_pairs_loss, triplet_loss):
        alone = projection()
        expected = function(alone(images), labels, generator=torch.Generator().manual_seed(6))
        expected.backward()
        model, own = DistributedDataParallel(projection()), share(sizes, rank)
        loss = function(
            model(images[own]), labels[own], gather_distributed=True, generator=torch.Generator().manual_seed(6)
        )
        loss.backward()
        torch.testing.assert_close(loss, expected)
        torch.testing.assert_close(model.module.weight.grad, alone.weight.grad)


def check_queue(rank: int, processes: int) -> None:
    queue, alone = MemoryQueue(9, 4, gather_distributed=True).double(), MemoryQueue(9, 4).double()
    for sizes in ([2, 1], [1, 3], [0, 2]):
        images, labels = images_and_labels(sizes)
        rows = projection()(images)
        queue.enqueue(rows[share(sizes, rank)], labels[share(sizes, rank)])
        alone.enqueue(rows, labels)
    for mine, expected in zip(queue.state_dict().values(), alone.state_dict().values(), strict=True):
        torch.testing.assert_close(mine, expected)


def check_a_process_without_anchors(rank: int, processes: int) -> None:
    """One process has rows without positives only: it takes part, and the mean is over the anchors of the other."""
    labels = torch.tensor([0, 0, 0, 1, 2, 3])
    rows = torch.randn(6, 1, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(7))
    expected = SupConLoss()(rows, labels)
    own = rows[share([3, 3], rank)].requires_grad_()
    loss = SupConLoss(gather_distributed=True)(own, labels[share([3, 3], rank)])
    loss.backward()
    torch.testing.assert_close(loss, expected)
    assert own.grad is not None
    assert own.grad.abs().sum() > 0


def check_mistakes(rank: int, processes: int) -> None:
    loss = SupConLoss(gather_distributed=True)

    def refused(sentence: str, projections: Tensor, labels: Tensor | None, **extra: Any) -> None:
        begin = time.monotonic()
        with pytest.raises(ValueError, match=sentence):
            loss(projections, labels, **extra)
        assert time.monotonic() - begin < LIMIT.total_seconds() / 2  # nobody waited for what never comes

    rows = torch.randn(4, 2, 3)
    refused(r"must have the same dim, got \[3, 4\]", torch.randn(4, 2, 3 + rank), torch.arange(4))
    refused(r"must have the same views, got \[1, 2\]", torch.randn(4, 1 + rank, 3), torch.arange(4))
    refused(r"must have the same labels, got \[0, 1\]", rows, torch.arange(4) if rank else None)
    refused(r"must have the same float64 projections", rows.double() if rank else rows, torch.arange(4))
    sentence = r"labels must have shape \[4\]" if rank else "process 1 refused its arguments of the loss; see the error"
    refused(sentence, rows, torch.arange(4 - rank))
    sentence = r"pair_weights must have shape \[8, 16\], own rows and all rows, got \[8, 8\]"
    refused(sentence, rows, None, pair_weights=torch.ones(8, 8 if rank else 16))
    # After all of it, the processes still understand each other.
    assert loss(rows, torch.arange(4)).isfinite()


def check_a_mistake_of_one_process_reaches_all(rank: int, processes: int) -> None:
    """What one process refuses before any row is exchanged; the other gives what is right."""
    rows, labels, narrow = torch.randn(4, 2, 3), torch.arange(4), MemoryQueue(4, 2)
    mistakes: list[tuple[str, dict[str, Any]]] = [
        ("projections must be a floating-point tensor", {"projections": None}),
        ("pair_weights must be real numbers", {"pair_weights": torch.ones(8, 16, dtype=torch.complex64)}),
        ("queue must hold projections of the batch's dim 3", {"queue": narrow}),
        ("max_positives must be at least 1", {"max_positives": 0.5}),
        ("temperature must be a number above 0", {"temperature": -1.0}),
        ("labels must be given with projections of shape", {"projections": rows.flatten(0, 1), "labels": None}),
        ("reduction must be one of", {"reduction": "max"}),
        ("has no option base_temperature", {"base_temperature": 0.07}),
        ("all processes must have the same reduction", {"reduction": "none"}),
        ("all processes must have the same summation", {"summation": "in"}),
        ("all processes must have the same temperature", {"temperature": 0.3}),
    ]
    for sentence, mistake in mistakes:
        given = {"projections": rows, "labels": labels, **(mistake if rank == 1 else {})}
        by_all = sentence.startswith("all processes")
        expected = sentence if rank == 1 or by_all else "process 1 refused its arguments of the loss; see the error"
        if sentence.startswith("max_positives"):
            expected = expected.replace("at least 1", "a whole number from 1 up")
        with pytest.raises((ValueError, TypeError), match=expected):
            supcon_loss(**given, gather_distributed=True)
    for function in (n_pairs_loss, triplet_loss):
        with pytest.raises(ValueError, match=r"temperature must be|process 1 refused its arguments"):
            function(rows, labels, temperature=-1.0 if rank else 1.0, gather_distributed=True)
    with torch.set_grad_enabled(rank == 1), pytest.raises(ValueError, match=r"under torch\.no_grad\(\) or none"):
        supcon_loss(rows.clone().requires_grad_(), labels, gather_distributed=True)
    queue = MemoryQueue(8, 3, gather_distributed=True)
    with pytest.raises(
        ValueError, match=r"projections must be 3 wide|must have the same dim|process 1 refused its arguments"
    ):
        queue.enqueue(torch.randn(4, 3 + rank), labels)


def check_a_process_whose_projections_need_no_gradient(rank: int, processes: int) -> None:
    """It still takes part in the backward pass of the others."""
    rows, labels = torch.randn(8, 2, 4, generator=torch.Generator().manual_seed(8)), torch.arange(8) % 3
    whole = rows.clone().requires_grad_()
    (expected,) = torch.autograd.grad(SupConLoss()(whole, labels), whole)
    own = rows[share([4, 4], rank)].clone().requires_grad_(rank == 0)
    SupConLoss(gather_distributed=True)(own, labels[share([4, 4], rank)]).backward()
    if rank == 0:
        assert own.grad is not None
        torch.testing.assert_close(own.grad, 2 * expected[:4])


def check_a_process_without_rows(rank: int, processes: int) -> None:
    sizes = [4, 0]
    rows, labels = torch.randn(4, 2, 4, generator=torch.Generator().manual_seed(8)), torch.arange(4) % 2
    weights, own = torch.rand(8, 8, generator=torch.Generator().manual_seed(9)), share(sizes, rank)
    every: list[dict[str, Any]] = [{}, {"summation": "in"}, {"max_positives": 2}, {"denominator": "one_positive"}]
    for options in every:
        generators = [torch.Generator().manual_seed(1) for _ in range(2)]
        expected = supcon_loss(rows, labels, generator=generators[0], **options)
        mine = rows[own].clone().requires_grad_()
        loss = supcon_loss(mine, labels[own], generator=generators[1], gather_distributed=True, **options)
        loss.backward()
        torch.testing.assert_close(loss, expected)
    mine = rows[own].clone().requires_grad_()
    loss = supcon_loss(mine, pair_weights=weights[share([8, 0], rank)], gather_distributed=True)
    loss.backward()
    torch.testing.assert_close(loss, supcon_loss(rows, pair_weights=weights))


def check_a_group_of_some_processes(rank: int, processes: int) -> None:
    """Of three processes, the first two gather from each other; the third is on its own."""
    group = dist.new_group([0, 1])
    images, labels = images_and_labels([2, 2, 2])
    own = share([2, 2, 2], rank)
    if rank < 2:
        found = SupConLoss(gather_distributed=True, process_group=group)(images[own], labels[own])
        torch.testing.assert_close(found, SupConLoss()(images[:4], labels[:4]))
        queue = MemoryQueue(8, 6, gather_distributed=True, process_group=group).double()
        queue.enqueue(images[own], labels[own])
        assert len(queue) == 8
    dist.barrier()  # nobody leaves while the others still talk


def check_bytes_of_a_step(rank: int, processes: int) -> None:
    """What a process hands to collectives is what docs/losses.md derives from rows, width and processes."""
    sent: dict[str, int] = {}
    patch = pytest.MonkeyPatch()

    def counted(name: str) -> Any:
        call = getattr(dist, name)

        def collective(*args: Any, **options: Any) -> Any:
            own = args[0] if name == "all_reduce" else args[1]
            sent[name] = sent.get(name, 0) + own.numel() * own.element_size()
            return call(*args, **options)

        return collective

    for name in ("all_gather", "all_gather_into_tensor", "reduce_scatter_tensor", "all_reduce"):
        patch.setattr(dist, name, counted(name))
    rows, dim = 10, 6
    projections = torch.randn(rows // 2, 2, dim, requires_grad=True)
    SupConLoss(gather_distributed=True)(projections, torch.arange(rows // 2)).backward()
    patch.undo()
    assert sent == {
        "all_gather": 16 * 8,  # 8 numbers of the batch and 8 of the options, on the host
        "all_gather_into_tensor": rows * (4 * dim + 8),
        "reduce_scatter_tensor": processes * rows * 4 * dim,
        "all_reduce": 2 * (4 + 4),  # value and count, forward and backward
    }


def check_alone_with_the_option(rank: int, processes: int) -> None:
    rows, labels = torch.randn(4, 2, 3), torch.tensor([0, 0, 1, 1])
    assert SupConLoss(gather_distributed=True)(rows, labels) == SupConLoss()(rows, labels)


SHARED = [check_equal_batches, check_unequal_batches, check_without_labels, check_row_values]
OF_TWO = [
    check_pair_weights,
    check_special_cases,
    check_queue,
    check_a_process_without_anchors,
    check_mistakes,
    check_a_mistake_of_one_process_reaches_all,
    check_a_process_whose_projections_need_no_gradient,
    check_a_process_without_rows,
    check_bytes_of_a_step,
]


@pytest.mark.parametrize(
    ("jobs", "processes"),
    [([check_alone_with_the_option], 1), ([*SHARED, *OF_TWO], 2), ([*SHARED, check_a_group_of_some_processes], 3)],
)
def test_processes_give_what_one_gives(jobs: list[Job], processes: int, tmp_path: Path) -> None:
    in_processes(run_jobs, processes, tmp_path, jobs)


def test_without_any_process_group_the_option_changes_nothing() -> None:
    check_alone_with_the_option(0, 1)

"""Time and peak memory of the losses, forward and backward, compared with dense forms, peers and a lower bound (floor).

Rows are 128 wide. The implementations are timed alternately on all cores; the best time of each is reported, and the
spread is the relative distance of our median from our best. The floor is the time of the unavoidable matrix products
for half of the matrix, in tiles of 512 rows by 1024 columns, at the speed of this machine's BLAS, if no tile is kept
for the backward pass; the losses keep 32 MB and can be faster. Peak memory is the additional memory of a step, measured
in separate processes.

    python benchmarks/losses.py [--quick] [--json F] [--store]
"""

import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import _dense_losses as dense
import _peak_memory as peak_memory
import torch
from _table import Figure, benchmark
from torch import Tensor

from supcon.losses import MemoryQueue, self_supervised_loss, supcon_in_loss, supcon_out_loss

HEIGHT, WIDTH = 512, 1024
"""Of a tile of the floor."""
DIM, CAP, EQUATIONS = 128, 5, ("Eq. 2", "Eq. 3")
Loss = Callable[[Tensor, Tensor], Tensor]


class Contest(NamedTuple):
    """One of our losses, and the implementations that compute the same."""

    ours: Loss
    peers: dict[str, Loss]


def contests(rows: int, classes: int) -> dict[str, Contest]:
    """All comparisons for this number of rows."""
    queue = MemoryQueue(rows, DIM)
    queue.enqueue(*batch(rows, classes, seed=1))
    past, past_labels = queue.contents()
    return {
        "Eq. 2": Contest(
            supcon_out_loss,
            {"lean dense": dense.eq_2, "textbook dense": dense.textbook, "pytorch-metric-learning": metric_learning()},
        ),
        "Eq. 3": Contest(supcon_in_loss, {"lean dense": dense.eq_3}),
        "Eq. 2, at most 5 positives": Contest(
            partial(supcon_out_loss, max_positives=CAP), {"lean dense": partial(dense.eq_2_capped, most=CAP)}
        ),
        "Eq. 2, one positive below": Contest(
            partial(supcon_out_loss, denominator="one_positive"), {"lean dense": dense.eq_2_one_positive}
        ),
        "Eq. 2, negatives below": Contest(
            partial(supcon_out_loss, denominator="negatives"), {"lean dense": dense.eq_2_negatives}
        ),
        "Eq. 2, queue of as many rows": Contest(
            partial(supcon_out_loss, queue=queue),
            {"lean dense": partial(dense.eq_2_with_queue, queue=past, queue_labels=past_labels)},
        ),
        "Eq. 1": Contest(_eq_1, {"lightly": ntxent()}),
    }


def batch(rows: int, classes: int, seed: int = 0) -> tuple[Tensor, Tensor]:
    """Random projections; with two rows per image if views matter."""
    generator = torch.Generator().manual_seed(seed)
    projections = torch.randn(rows, DIM, generator=generator)
    return projections, torch.randint(0, classes, (rows,), generator=generator)


def _eq_1(projections: Tensor, _: Tensor) -> Tensor:
    return self_supervised_loss(projections.unflatten(0, (-1, 2)))


def metric_learning() -> Loss:
    """pytorch-metric-learning's SupConLoss."""
    from pytorch_metric_learning.losses import SupConLoss

    loss: Loss = SupConLoss(temperature=0.1)
    return loss


def ntxent() -> Loss:
    """lightly's NTXentLoss."""
    from lightly.loss import NTXentLoss

    loss = NTXentLoss(temperature=0.1)

    def of_views(projections: Tensor, _: Tensor) -> Tensor:
        views = projections.unflatten(0, (-1, 2))
        value: Tensor = loss(views[:, 0], views[:, 1])
        return value

    return of_views


def floor(rows: int, *, queue: bool = False) -> None:
    """Forward: one product per tile; backward: the same product again, and one for each side that gets gradients."""
    left, memory, gradient = torch.ones(rows, DIM), torch.empty(HEIGHT * WIDTH), torch.zeros(rows, DIM)
    for backward in (False, True):
        for strip in parts(0, rows, HEIGHT):
            upper = [strip, *parts(strip.stop, rows, WIDTH)]
            for part in [*upper, *(parts(0, rows, WIDTH) if queue else ())]:
                height, width = strip.stop - strip.start, part.stop - part.start
                tile = torch.mm(left[strip], left[part].t(), out=memory[: height * width].view(height, width))
                if backward:
                    gradient[strip].addmm_(tile, left[part])
            for part in upper[1:] if backward else ():
                tile = memory[: (strip.stop - strip.start) * (part.stop - part.start)].view(-1, part.stop - part.start)
                gradient[part].addmm_(tile.t(), left[strip])


def parts(first: int, last: int, size: int) -> list[slice]:
    """A range in parts of this size."""
    return [slice(start, min(start + size, last)) for start in range(first, last, size)]


def step(loss: Loss, projections: Tensor, labels: Tensor) -> None:
    """Forward and backward."""
    projections.grad = None
    loss(projections, labels).backward()


def times(
    contest: Contest, rows: int, classes: int, rounds: int, *, peers: bool, queue: bool
) -> dict[str, list[float]]:
    """Seconds of each implementation and of the floor, measured alternately, in ascending order."""
    projections, labels = batch(rows, classes)
    projections.requires_grad_()
    runs: dict[str, Callable[[], object]] = {"floor": partial(floor, rows, queue=queue)}
    for name, loss in {"ours": contest.ours, **(contest.peers if peers else {})}.items():
        runs[name] = partial(step, loss, projections, labels)
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            taken[name].append(time.perf_counter() - start)
    return {name: sorted(seconds) for name, seconds in taken.items()}


def time_figures(rows: int, classes: int, rounds: int, *, peers: bool, only: tuple[str, ...] = ()) -> list[Figure]:
    """One figure for each contest and peer, and one for the floor."""
    figures = []
    for title, contest in contests(rows, classes).items():
        if only and title not in only:
            continue
        taken = times(contest, rows, classes, rounds, peers=peers, queue="queue" in title)
        ours, name = taken.pop("ours"), f"{title}, {rows:,} rows, {classes:,} classes"
        spread = ours[len(ours) // 2] / ours[0] - 1 if rounds > 1 else None
        for peer, theirs in taken.items():
            value, peer_value = 1000 * ours[0], 1000 * theirs[0]
            figures.append(Figure(name=name, value=value, unit="ms", peer=peer, peer_value=peer_value, spread=spread))
    return figures


def memory_figures(rows: int, classes: int, titles: tuple[str, ...], *, peers: bool) -> list[Figure]:
    """Additional peak memory of each implementation."""
    figures = []
    for title in titles:
        ours = peak_memory.in_own_process(__file__, "memory", title, "ours", str(rows), str(classes))
        name = f"{title}, {rows:,} rows, peak memory"
        others = contests(2, 1)[title].peers if peers else {}
        for peer in others:
            theirs = peak_memory.in_own_process(__file__, "memory", title, peer, str(rows), str(classes))
            figures.append(Figure(name=name, value=ours, unit="MB", peer=peer, peer_value=theirs))
        if not others:
            figures.append(Figure(name=name, value=ours, unit="MB"))
    return figures


def print_memory(title: str, contender: str, rows: int, classes: int) -> None:
    """In a separate process: the peak memory of one step, after a small step that loads all libraries."""
    projections, labels = batch(rows, classes)
    projections.requires_grad_()
    contest = contests(rows, classes)[title]
    loss = contest.ours if contender == "ours" else contest.peers[contender]
    few = projections[:64].detach().requires_grad_()
    step(contests(64, classes)[title].ours if contender == "ours" else loss, few, labels[:64])
    before = peak_memory.start()
    step(loss, projections, labels)
    print(peak_memory.beyond(before))


def measure(quick: bool) -> list[Figure]:
    """All of it."""
    if quick:
        figures = time_figures(256, 10, 20, peers=True) + time_figures(1024, 100, 5, peers=True)
        figures += time_figures(2048, 100, 2, peers=True)
        return figures + memory_figures(2048, 100, ("Eq. 2", "Eq. 3"), peers=True)
    figures = []
    for rows, rounds in ((256, 200), (512, 100), (1024, 30), (2048, 8), (4096, 3), (8192, 3)):
        figures += time_figures(rows, 100, rounds, peers=True)
    for classes in (10, 1000):
        figures += time_figures(8192, classes, 2, peers=True, only=EQUATIONS)
    figures += time_figures(16384, 1000, 2, peers=False, only=EQUATIONS)
    figures += time_figures(65536, 1000, 1, peers=False, only=("Eq. 2",))
    others = tuple(title for title in contests(2, 1) if title not in EQUATIONS)
    figures += memory_figures(8192, 100, EQUATIONS, peers=True) + memory_figures(8192, 100, others, peers=False)
    figures += memory_figures(65536, 100, ("Eq. 2",), peers=False)
    return figures


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1:2] == ["memory"]:
        print_memory(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    else:
        benchmark(__doc__ or "", measure)

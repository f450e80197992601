"""The cost of a step as a function of batch, width and processes: measured times, memory and slopes.

A slope is the exponent b of a power law, time ~ rows^b, fitted by least squares to the logarithms: 1 is linear, 2 is
quadratic. Every process has one thread. Two processes have half of the rows each, and exchange them over gloo.
`docs/scaling.md` derives what they imply for other machines.

    python benchmarks/scaling.py [--quick] [--json F] [--store]
"""

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from math import log
from pathlib import Path
from statistics import linear_regression

import _peak_memory as peak_memory
import torch
import torch.distributed as dist
from _table import Figure, benchmark
from torch.multiprocessing.spawn import spawn

from supcon.encoder import make_encoder
from supcon.losses import SupConLoss
from supcon.projection import Projection

CLASSES, WIDTH, SIDE = 100, 128, 32
ROWS, QUICK_ROWS = (1024, 2048, 4096, 8192, 16384), (512, 1024)


def measure(quick: bool) -> list[Figure]:
    torch.set_num_threads(1)
    rows = QUICK_ROWS if quick else ROWS
    figures = of_rows(rows) + of_width(rows[-1] if quick else 4096, (64, 128) if quick else (32, 64, 128, 256, 512))
    figures += of_memory((4096, 8192) if quick else (8192, 16384, 32768))
    figures += of_encoder((16, 32) if quick else (64, 128, 256))
    return figures + of_processes(rows, 2)


def of_rows(rows: Sequence[int]) -> list[Figure]:
    times = [loss_time(count, WIDTH) for count in rows]
    return [
        *(
            milliseconds(f"loss, {count:,} rows of {WIDTH}", seconds)
            for count, seconds in zip(rows, times, strict=True)
        ),
        slope("loss, slope in rows", rows[-3:], times[-3:]),  # below 1,024 rows calls dominate, not pairs
    ]


def of_width(count: int, widths: Sequence[int]) -> list[Figure]:
    times = [loss_time(count, width) for width in widths]
    named = zip(widths, times, strict=True)
    return [
        *(milliseconds(f"loss, {count:,} rows of {width}", seconds) for width, seconds in named if width != WIDTH),
        slope("loss, slope in width", widths[-2:], times[-2:]),
    ]


def of_memory(rows: Sequence[int]) -> list[Figure]:
    peaks = [peak_memory.in_own_process(__file__, "peak", str(count)) for count in rows]
    return [
        *(
            Figure(name=f"loss, peak memory, {count:,} rows", value=peak, unit="MB", peer="one matrix",
                   peer_value=count**2 * 4 / 2**20)
            for count, peak in zip(rows, peaks, strict=True)
        ),
        slope("loss, slope of memory in rows", rows, [max(peak, 0.1) for peak in peaks]),
    ]  # fmt: skip


def of_encoder(batches: Sequence[int]) -> list[Figure]:
    """Forward and backward of two views of every image through a small encoder and its projection."""
    encoder = make_encoder("small-resnet", channels=3, image_size=SIDE, mean=(0.5,) * 3, std=(0.25,) * 3)
    network = torch.nn.Sequential(encoder, Projection(encoder.width, WIDTH))
    times = []
    for batch in batches:
        images = torch.randint(0, 256, (2 * batch, 3, SIDE, SIDE), dtype=torch.uint8)
        times.append(best_time(lambda images=images: network(images).sum().backward()))  # type: ignore[misc]
    return [
        *(milliseconds(f"encoder, {n} images, 2 views", seconds) for n, seconds in zip(batches, times, strict=True)),
        slope("encoder, slope in images", batches, times),
    ]


def of_processes(rows: Sequence[int], processes: int) -> list[Figure]:
    """The loss of all rows, shared by the processes, and its parts: the exchange alone."""
    with tempfile.TemporaryDirectory() as folder:
        spawn(_shared_loss, (folder, list(rows), processes), nprocs=processes)
        lines = [line.split() for line in (Path(folder) / "times").read_text().splitlines()]
    figures = []
    for count, whole, exchange in lines:
        per_process = int(count) // processes
        sent = (processes - 1) * per_process * (8 * WIDTH + 8) / 2**20
        name = f"{processes} processes, {int(count):,} rows in all"
        figures += [
            milliseconds(f"{name}: loss", float(whole)),
            milliseconds(f"{name}: exchange of rows and gradients alone, {sent:.1f} MB", float(exchange)),
        ]
    counts, times = [int(line[0]) for line in lines[-3:]], [float(line[1]) for line in lines[-3:]]
    return [*figures, slope(f"{processes} processes, slope in rows", counts, times)]


def _shared_loss(rank: int, folder: str, rows: Sequence[int], processes: int) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=processes)
    lines = []
    for count in rows:
        own = count // processes
        whole = loss_time(own, WIDTH, gather=True)
        lines.append(f"{count} {whole} {best_time(lambda own=own: _exchange(own, processes))}")  # type: ignore[misc]
    if rank == 0:
        (Path(folder) / "times").write_text("\n".join(lines))
    dist.destroy_process_group()


def _exchange(own: int, processes: int) -> None:
    """What the loss sends, but for labels: rows gathered in forward, gradients summed and scattered in backward."""
    everyone = torch.empty(processes * own, WIDTH)
    dist.all_gather_into_tensor(everyone, torch.zeros(own, WIDTH))
    dist.reduce_scatter_tensor(torch.empty(own, WIDTH), everyone)


def loss_time(count: int, width: int, gather: bool = False) -> float:
    """Seconds of forward and backward of Eq. 2."""
    generator = torch.Generator().manual_seed(0)
    projections = torch.randn(count, width, generator=generator, requires_grad=True)
    labels = torch.randint(CLASSES, (count,), generator=generator)
    loss = SupConLoss(temperature=0.1, gather_distributed=gather)
    return best_time(lambda: loss(projections, labels).backward())


def best_time(call: Callable[[], object], rounds: int = 4) -> float:
    call()  # warm up
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def slope(name: str, at: Sequence[float], values: Sequence[float]) -> Figure:
    fitted = linear_regression([log(x) for x in at], [log(y) for y in values])
    return Figure(name=name, value=fitted.slope, unit="")


def milliseconds(name: str, seconds: float) -> Figure:
    return Figure(name=name, value=1000 * seconds, unit="ms")


def _print_peak(count: int) -> None:
    torch.set_num_threads(1)
    projections, labels = torch.randn(count, WIDTH, requires_grad=True), torch.randint(CLASSES, (count,))
    loss = SupConLoss(temperature=0.1)
    loss(projections[:2048], labels[:2048]).backward()
    before = peak_memory.start()
    loss(projections, labels).backward()
    print(peak_memory.beyond(before))


if __name__ == "__main__":
    if sys.argv[1:2] == ["peak"]:
        _print_peak(int(sys.argv[2]))
    else:
        benchmark(__doc__ or "", measure)

"""Weighted k-NN compared with the matrix product that it needs.

10,000 queries and a bank of 50,000 rows, 2,048 wide: the size of CIFAR-10 with a ResNet-50. The product alone is
computed in the same chunks, alternately with the whole classification; the best time of each is reported.

    python benchmarks/nearest_neighbours.py [--quick] [--json F]
"""

import time
from collections.abc import Callable

import _peak_memory as peak_memory
import torch
from _table import Figure, benchmark
from torch import Tensor

from supcon.evaluation import nearest_neighbour_scores

CLASSES, CHUNK = 10, 1024


def product(queries: Tensor, bank: Tensor) -> None:
    """All similarities, without using them."""
    for rows in queries.split(CHUNK):
        rows @ bank.T


def seconds(run: Callable[[], object]) -> float:
    """Seconds of a call."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def measure(quick: bool) -> list[Figure]:
    """Time and memory."""
    queries, bank, width = (2_048, 50_000, 2_048) if quick else (10_000, 50_000, 2_048)
    generator = torch.Generator().manual_seed(0)
    bank_rows = torch.randn(bank, width, generator=generator)
    query_rows = torch.randn(queries, width, generator=generator)
    labels = torch.arange(bank) % CLASSES
    product(query_rows[:16], bank_rows)
    times = []
    before = peak_memory.start()
    for _ in range(1 if quick else 3):
        ours = seconds(lambda: nearest_neighbour_scores(query_rows, bank_rows, labels, CLASSES, k=200))
        times.append((ours, seconds(lambda: product(query_rows, bank_rows))))
    grown = peak_memory.beyond(before)
    value, product_value = (min(side) for side in zip(*times, strict=True))
    size = f"{queries:,} x {bank:,} x {width:,}"
    name = f"k-NN (k = 200), {size}"
    return [
        Figure(name=name, value=value, unit="s", peer="the bare matrix product", peer_value=product_value),
        Figure(name=f"{name}, over the bare product", value=value / product_value, unit="times"),
        Figure(name=f"{name}, memory beyond the representations", value=grown, unit="MB"),
    ]


if __name__ == "__main__":
    benchmark(__doc__, measure)

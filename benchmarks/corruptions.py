"""The 15 corruptions at 5 severities of CIFAR-sized images, against the usual way: one image at a time in numpy.

The usual implementation (`_usual_corruptions.py`) gets fewer images, since it processes them one by one, and its time
is scaled to 10,000. Both run alternately on one core; the best time of each is reported.

    python benchmarks/corruptions.py [--quick] [--json F]
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from _table import Figure, benchmark
from _usual_corruptions import usual
from torch import Tensor
from torch.nn.functional import interpolate

from supcon.evaluation import CORRUPTIONS, corrupt
from supcon.evaluation.corruptions.parameters import published_parameters

SET = 10_000
SEVERITIES = (1, 2, 3, 4, 5)


def photographs(count: int, side: int) -> Tensor:
    """Smooth colours with some noise: the time depends on the size of the images, not on their content."""
    generator = torch.Generator().manual_seed(0)
    smooth = interpolate(torch.rand(count, 3, 6, 6, generator=generator), size=(side, side), mode="bicubic")
    noise = torch.rand(count, 3, side, side, generator=generator) * 0.1
    return (smooth + noise).clamp(0, 1).mul(255).to(torch.uint8)


def ours(images: Tensor, name: str) -> None:
    """All severities of a corruption."""
    for severity in SEVERITIES:
        corrupt(images, name, severity)


def one_by_one(images: list[Any], name: str) -> None:
    """The same with the usual implementation."""
    random = np.random.default_rng(0)
    height, width = images[0].shape[:2]
    for severity in SEVERITIES:
        parameters = published_parameters(name, severity, height, width)
        for image in images:
            usual(image, name, parameters, random)


def best_seconds(run: Callable[[], object], rounds: int) -> float:
    """The best time of several rounds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def compare(name: str, images: Tensor, few: int, rounds: int) -> tuple[float, float]:
    """Seconds for the five severities of 10,000 images: ours, and one by one."""
    arrays = [np.ascontiguousarray(image.permute(1, 2, 0).numpy()) for image in images[:few]]
    ours(images[:64], name)  # tables that are made once
    our_time = best_seconds(lambda: ours(images, name), rounds) * SET / len(images)
    return our_time, best_seconds(lambda: one_by_one(arrays, name), rounds) * SET / few


def figure(name: str, seconds: float, peer_seconds: float) -> Figure:
    """One line of the table."""
    unit = f"s for {SET:,} images"
    return Figure(name=name, value=seconds, unit=unit, peer="numpy, one by one", peer_value=peer_seconds)


def measure(quick: bool) -> list[Figure]:
    """Each corruption, all of them, and all without glass blur, whose loop over pixels is the worst case."""
    torch.set_num_threads(1)
    images = photographs(1000 if quick else SET, 32)
    times = {name: compare(name, images, few=5 if quick else 100, rounds=1 if quick else 3) for name in CORRUPTIONS}
    figures = [figure(f"{name}, 5 severities, 32 x 32", *both) for name, both in times.items()]
    without_glass = [both for name, both in times.items() if name != "glass_blur"]
    figures.append(figure("all but glass_blur, 70 sets, 32 x 32", *map(sum, zip(*without_glass, strict=True))))
    return [*figures, figure("all 75 sets, 32 x 32", *map(sum, zip(*times.values(), strict=True)))]


if __name__ == "__main__":
    benchmark(__doc__, measure)

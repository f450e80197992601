"""Loading speed of the three ways to store images, compared with torchvision's ImageFolder, on CIFAR-10 as JPEG files.

The files are unpacked from `../shared/data/cifar10-images.zip`, or read from the folder SUPCON_CIFAR10_JPEG. Batches
have 256 images, shuffled, as uint8; ImageFolder decodes with Pillow in a DataLoader with two workers. The time to the
first batch is measured without a cache (the files are in the page cache of the system), and again with the cache. Peak
memory is that of the process without its imports, for a set ten times as large as its limit, including the building of
the cache.

    python benchmarks/data.py [--quick] [--json F]
"""

import os
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import _peak_memory as peak_memory
from _table import Figure, benchmark
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.transforms.v2 import PILToTensor

from supcon.data.batches.loader import training_loader
from supcon.data.config import DataConfig, HoldName
from supcon.data.image_data import ImageData
from supcon.data.load import load_data

ZIP = Path(__file__).parents[2] / "shared" / "data" / "cifar10-images.zip"
BATCH = 256
LARGE = 128
"""Side that the small images are enlarged to where peak memory is measured."""


def find_images(folder: Path) -> Path:
    """The folder of CIFAR-10's JPEG files, unpacked from the archive if necessary."""
    if "SUPCON_CIFAR10_JPEG" in os.environ:
        return Path(os.environ["SUPCON_CIFAR10_JPEG"])
    if not ZIP.exists():
        sys.exit(
            "The CIFAR-10 JPEG files are not here; set SUPCON_CIFAR10_JPEG to the folder that holds train/ and test/."
        )
    with zipfile.ZipFile(ZIP) as archive:
        archive.extractall(folder)
    return folder


def images_a_second(batches: Iterable[Any]) -> float:
    """Images of one pass, after a pass's first batch, which starts the workers."""
    count, start = 0, 0.0
    for images, _ in batches:
        if not start:
            start = time.perf_counter()
        else:
            count += len(images)
    return count / (time.perf_counter() - start)


def image_folder(root: Path) -> "DataLoader[Any]":
    """The usual way to load a folder of images."""
    return DataLoader(ImageFolder(str(root), PILToTensor()), BATCH, shuffle=True, num_workers=2, drop_last=True)


def first_batch(root: Path, hold: HoldName, fraction: float | None) -> tuple[float, ImageData]:
    """Seconds from nothing to the first batch, and the data."""
    start = time.perf_counter()
    data = load_data(DataConfig(spec=str(root), hold=hold, fraction=fraction))
    next(iter(training_loader(data.train, BATCH, seed=0)))
    return time.perf_counter() - start, data


def print_peak(root: str, limit: str, fraction: str) -> None:
    """In a separate process: the peak memory of building a cache of large images and of one epoch from it."""
    before = peak_memory.start()
    data = load_data(
        DataConfig(spec=root, hold="cache", image_size=LARGE, memory_limit=float(limit), fraction=float(fraction))
    )
    for _ in training_loader(data.train, BATCH, seed=0):
        pass
    print(peak_memory.beyond(before))


def measure(quick: bool) -> list[Figure]:
    """All of it."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SUPCON_CACHE"] = f"{folder}/cache"
        root = find_images(Path(folder) / "images")
        fraction = 0.1 if quick else None
        peer = image_folder(root / "train")
        start = time.perf_counter()
        next(iter(peer))
        peer_first, peer_rate = time.perf_counter() - start, images_a_second(peer)
        figures = []
        holds: tuple[HoldName, ...] = ("memory", "cache", "decode")
        for hold in holds:
            cold, data = first_batch(root, hold, fraction)
            again, _ = first_batch(root, hold, fraction)
            epochs = 1 if hold == "decode" else 5
            rate = max(images_a_second(training_loader(data.train, BATCH, seed=0)) for _ in range(epochs))
            figures += [
                _beside(f"{hold}, images a second", rate, "images/s", peer_rate, smaller_is_better=False),
                _beside(f"{hold}, first batch, cold", cold, "s", peer_first),
                _beside(f"{hold}, first batch, again", again, "s", peer_first),
            ]
        return [*figures, *_memory(root, 0.2 if quick else 1.0)]


def _beside(name: str, value: float, unit: str, peer_value: float, *, smaller_is_better: bool = True) -> Figure:
    return Figure(
        name=name,
        value=value,
        unit=unit,
        peer="ImageFolder, 2 workers",
        peer_value=peer_value,
        smaller_is_better=smaller_is_better,
    )


def _memory(root: Path, fraction: float) -> list[Figure]:
    train = load_data(DataConfig(spec=str(root), hold="decode", fraction=fraction))
    megabytes = sum(train.counts.values()) * 3 * LARGE**2 / 1e6
    limit = megabytes / 10
    peak = peak_memory.in_own_process(__file__, "peak", str(root), str(limit / 1000), str(fraction))
    allowed = "limit + 300 MB"
    name = f"cache, peak memory, {megabytes:,.0f} MB of images, limit {limit:,.0f} MB"
    return [Figure(name=name, value=peak, unit="MB", peer=allowed, peer_value=limit + 300)]


if __name__ == "__main__":
    if sys.argv[1:2] == ["peak"]:
        print_peak(*sys.argv[2:5])
    else:
        benchmark(__doc__ or "", measure)

"""What a first run is worth: the table of reproduction/first_try.md, run by run.

    python reproduction/first_try.py --ants-bees DIR --cifar10 DIR --fashion-mnist DIR

Every cell is one `supcon train`, then `supcon evaluate --on corruptions --severities 3`, in a folder below --out. The
figures of finished cells are kept in first_try.csv beside this script and are not run again, so the script can be
stopped and started, also on another machine; `--table` only prints what there is.
Data: folders with train/CLASS/ and test/CLASS/ (ants and bees of PyTorch's transfer tutorial; CIFAR-10 as JPEG files),
and Fashion-MNIST's four idx files (Debian: dataset-fashion-mnist).
"""

import argparse
import csv
import gzip
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
from PIL import Image

from supcon.base import atomic_files

TEST, VALIDATION = 100, 20
"""Images of a class in the test and validation split of the reduced sets."""


@dataclass(frozen=True)
class Set:
    """A data set of the table with the options that its size asks for."""

    name: str
    title: str
    scratch: tuple[str, ...]
    pretrained: tuple[str, ...]
    weak_size: tuple[str, ...] = ()
    """Epochs and batch size with weak views; empty: not run, because fair-comparison has that."""

    @property
    def weak(self) -> tuple[str, ...]:
        return (*self.scratch, *WEAK, *self.weak_size)  # of an option that is given twice, the last value counts


SMALL = ("--recipe", "cifar10-500", "--data.per_class", "null", "--stage1.knn_every", "0")
SETS = (
    Set(
        "ants-bees",
        "ants and bees, 221 images",
        (*SMALL, "--data.image_size", "64", "--epochs", "60", "--batch-size", "64", "--encoder.stride", "4"),
        (),
        ("--epochs", "120", "--batch-size", "128"),
    ),
    Set(
        "cifar10-100",
        "CIFAR-10 (JPEG), 100 a class",
        (*SMALL, "--epochs", "50"),
        ("--recipe", "photos", "--data.image_size", "96"),
        ("--epochs", "100", "--batch-size", "256"),
    ),
    Set(
        "cifar10-500",
        "CIFAR-10 (JPEG), 500 a class",
        SMALL,
        ("--recipe", "photos", "--data.image_size", "96", "--epochs", "4"),
    ),
    Set(
        "fashion-mnist-100",
        "Fashion-MNIST, 100 a class",
        (*SMALL, "--epochs", "50", "--data.mean", "null", "--data.std", "null"),
        ("--recipe", "photos", "--data.image_size", "96"),
        ("--epochs", "100", "--batch-size", "256"),
    ),
)
METHODS = ("supcon", "cross-entropy")
STARTS = {"pretrained": "ImageNet", "scratch": "scratch, strong views", "weak": "scratch, weak views"}
"""The options of a set that a run starts with, and what the table says of them."""

WEAK = ("--views.augmentation", "crop-flip", "--views.crop_area", "[0.5,1.0]", "--views.count", "1")
"""As chosen in reproduction/fair-comparison.md, also the rates: one view of twice the images, for twice the epochs."""
WEAK_RATES = {"supcon": "1.0", "cross-entropy": "1.6"}

MEASURES = (
    "test/top1",
    "test/top1_low",
    "test/top1_high",
    "test/knn_top1",
    "test/ece",
    "corruptions/mean_top1",
    "before/logistic_regression_top1",
    "before/knn_top1",
    "minutes",
)
"""What is kept of a cell; of the features before training only if it starts from ImageNet's weights."""
Cells = dict[str, dict[str, float]]
"""The measures of finished cells by name."""


@dataclass(frozen=True)
class Cell:
    """One run."""

    data: Set
    start: str
    method: str
    seed: int

    @property
    def name(self) -> str:
        return f"{self.data.name}-{self.start}-{self.method}-{self.seed}"

    def options(self) -> list[str]:
        own = self.data.weak if self.start == "weak" else getattr(self.data, self.start)
        rate = ("--stage1.optimizer.lr", WEAK_RATES[self.method]) if self.start == "weak" else ()
        return [*own, *rate, "--method", self.method, "--seed", str(self.seed)]


def cells(seeds: Sequence[int]) -> Iterator[Cell]:
    """Seed by seed, so that a table that is not finished has every row."""
    for seed in seeds:
        for data in SETS:
            for start in STARTS:
                for method in METHODS if start != "weak" or data.weak_size else ():
                    yield Cell(data, start, method, seed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("ants-bees", "cifar10", "fashion-mnist"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--out", type=Path, default=Path("runs/first_try"))
    parser.add_argument("--cells", type=Path, default=Path(__file__).with_suffix(".csv"))
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--only", default="", help="Only cells whose name has this in it.")
    parser.add_argument("--table", action="store_true", help="Print the table of what there is.")
    given = parser.parse_args()
    seeds = [int(seed) for seed in given.seeds.split(",")]
    if not given.table:
        where = prepare(given)
        for cell in cells(seeds):
            wanted = given.only in cell.name and cell.data.name in where
            if wanted and cell.name not in read_cells(given.cells):
                add_cell(given.cells, cell, run(cell, where[cell.data.name], given.out / cell.name))
    print(table(read_cells(given.cells), seeds))


def prepare(given: argparse.Namespace) -> dict[str, Path]:
    """DATA of every set whose files were given; the reduced ones as manifests, the same for every run."""
    where: dict[str, Path] = {}
    if given.ants_bees:
        where["ants-bees"] = given.ants_bees
    if given.cifar10:
        for size in (100, 500):
            rows = list(reduced_folder(given.cifar10, size))
            where[f"cifar10-{size}"] = write_manifest(given.out / f"cifar10-{size}.csv", rows)
    if given.fashion_mnist:
        rows = list(reduced_fashion(given.fashion_mnist, 100, given.out / "fashion-mnist-100"))
        where["fashion-mnist-100"] = write_manifest(given.out / "fashion-mnist-100.csv", rows)
    return where


Row = tuple[str, str, str]
"""Path, label, split."""


def reduced_folder(root: Path, size: int) -> Iterator[Row]:
    """`size` training images of every class, validation images beside them, and some test images."""
    generator = np.random.default_rng(0)
    for part, counts in (("train", {"train": size, "validation": VALIDATION}), ("test", {"test": TEST})):
        for folder in sorted((root / part).iterdir()):
            files = sorted(folder.iterdir())
            chosen = iter(generator.permutation(len(files))[: sum(counts.values())])
            for split, count in counts.items():
                for _ in range(count):
                    yield str(files[next(chosen)].resolve()), folder.name, split


def reduced_fashion(root: Path, size: int, images: Path) -> Iterator[Row]:
    """The same of the idx files, whose chosen images are written as PNG."""
    images.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng(0)
    for part, counts in (("train", {"train": size, "validation": VALIDATION}), ("t10k", {"test": TEST})):
        pixels = read_idx(root / f"{part}-images-idx3-ubyte.gz", 16).reshape(-1, 28, 28)
        labels = read_idx(root / f"{part}-labels-idx1-ubyte.gz", 8)
        for label in range(10):
            chosen = iter(generator.permutation(np.flatnonzero(labels == label))[: sum(counts.values())])
            for split, count in counts.items():
                for _ in range(count):
                    number = int(next(chosen))
                    path = images / f"{part}-{number}.png"
                    Image.fromarray(pixels[number]).save(path)
                    yield str(path.resolve()), str(label), split


def read_idx(path: Path, header: int) -> np.ndarray:
    return np.frombuffer(gzip.decompress(path.read_bytes()), np.uint8, offset=header)


def write_manifest(path: Path, rows: Sequence[Row]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("path", "label", "split"), *rows])
    return path


def run(cell: Cell, data: Path, folder: Path) -> dict[str, float]:
    """Trains and evaluates what is not there yet; the measures of the cell."""
    supcon = [sys.executable, "-m", "supcon"]
    outside = ["--data.outside", "true"] if data.is_file() else []  # the manifests list images of the given folders
    if not (folder / "evaluation.json").exists():
        resumed = ["--resume"] if folder.exists() else []
        command = [*supcon, "train", str(data), *outside, *cell.options(), "--out", str(folder), *resumed]
        print(" ".join(command[2:]), file=sys.stderr, flush=True)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    if "corruptions/mean_top1" not in measures(folder):
        command = [*supcon, "evaluate", str(folder), "--on", "corruptions", "--severities", "3"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    found = measures(folder)
    found["minutes"] = (found.get("seconds/stage1", 0) + found.get("seconds/stage2", 0)) / 60
    return {name: found[name] for name in MEASURES if name in found}


def measures(folder: Path) -> dict[str, float]:
    path = folder / "evaluation.json"
    return json.loads(path.read_text()) if path.exists() else {}


def read_cells(path: Path) -> Cells:
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {row["cell"]: {name: float(row[name]) for name in MEASURES if row[name]} for row in rows}


def add_cell(path: Path, cell: Cell, found: dict[str, float]) -> None:
    """Another process may have added cells since."""
    rows = {**read_cells(path), cell.name: found}
    with atomic_files.replacing(path) as new, new.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("cell", *MEASURES))
        for name in sorted(rows):
            writer.writerow((name, *(f"{rows[name][one]:.6g}" if one in rows[name] else "" for one in MEASURES)))


def table(finished: Cells, seeds: Sequence[int]) -> str:
    """Markdown: a row for every set, start and method, the mean over the seeds that are there."""
    head = ("data", "start", "method", "seeds", "accuracy", "95 % interval", "k-NN", "calibration error")
    lines = [(*head, "under corruptions", "minutes"), ("---",) * 10]
    for data in SETS:
        for start in STARTS:
            for method in METHODS:
                names = [Cell(data, start, method, seed).name for seed in seeds]
                found = [finished[name] for name in names if name in finished]
                if found and start == "pretrained" and method == METHODS[0]:
                    lines.append(frozen_row(data, found))
                if found:
                    lines.append(trained_row(data, start, method, found))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def frozen_row(data: Set, found: Sequence[dict[str, float]]) -> tuple[str, ...]:
    known = [one["before/logistic_regression_top1"] for one in found]
    knn = [one["before/knn_top1"] for one in found]
    name = "frozen features, logistic regression"
    return (data.title, "ImageNet", name, str(len(found)), percent(known), "", percent(knn), "", "", "")


def trained_row(data: Set, start: str, method: str, found: Sequence[dict[str, float]]) -> tuple[str, ...]:
    low, high = (100 * fmean(one[f"test/top1_{end}"] for one in found) for end in ("low", "high"))
    under = [one["corruptions/mean_top1"] for one in found if "corruptions/mean_top1" in one]
    minutes = fmean(one["minutes"] for one in found)
    return (
        data.title,
        STARTS[start],
        "SupCon" if method == "supcon" else method,
        str(len(found)),
        percent([one["test/top1"] for one in found]),
        f"{low:.1f} to {high:.1f}",
        percent([one["test/knn_top1"] for one in found]),
        percent([one["test/ece"] for one in found]),
        percent(under),
        f"{minutes:.1f}",
    )


def percent(values: Sequence[float]) -> str:
    """Mean, and standard deviation where there are several."""
    if not values:
        return ""
    spread = f" ± {100 * stdev(values):.1f}" if len(values) > 1 else ""
    return f"{100 * fmean(values):.1f} %{spread}"


if __name__ == "__main__":
    main()

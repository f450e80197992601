"""Writes small files in the layout of the named data sets."""

import gzip
import json
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.io import savemat

DRAW = np.random.default_rng(0)


def jpeg(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(DRAW.integers(0, 256, (20, 24, 3), dtype=np.uint8)).save(path)


def text(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


def idx(path: Path, values: np.ndarray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    header = b"\0\0\x08" + bytes([values.ndim]) + np.array(values.shape, dtype=">u4").tobytes()
    content = header + values.tobytes()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


def clothes(root: Path, folder: str = "fashion-mnist", suffix: str = ".gz") -> None:
    for prefix, count in (("train", 20), ("t10k", 10)):
        pixels = DRAW.integers(0, 256, (count, 28, 28), dtype=np.uint8)
        idx(root / folder / f"{prefix}-images-idx3-ubyte{suffix}", pixels)
        idx(root / folder / f"{prefix}-labels-idx1-ubyte{suffix}", np.arange(count, dtype=np.uint8) % 10)


def cifar(root: Path, hundred: bool = False) -> None:
    folder = root / ("cifar-100-python" if hundred else "cifar-10-batches-py")
    folder.mkdir()
    names = ["train", "test"] if hundred else [*(f"data_batch_{n}" for n in range(1, 6)), "test_batch"]
    for name in names:
        labels = (np.arange(10) % (100 if hundred else 10)).tolist()
        content = {
            "data": DRAW.integers(0, 256, (10, 3072), dtype=np.uint8),
            "fine_labels" if hundred else "labels": labels,
        }
        (folder / name).write_bytes(pickle.dumps(content))
    meta = {"fine_label_names": [f"c{n}" for n in range(100)], "label_names": [f"c{n}" for n in range(10)]}
    (folder / ("meta" if hundred else "batches.meta")).write_bytes(pickle.dumps(meta))


def svhn(root: Path) -> None:
    for split, count in (("train", 12), ("test", 6)):
        pixels = DRAW.integers(0, 256, (32, 32, 3, count), dtype=np.uint8)
        savemat(root / f"{split}_32x32.mat", {"X": pixels, "y": (np.arange(count) % 3 + 8)[:, None]})


def stl10(root: Path) -> None:
    folder = root / "stl10_binary"
    folder.mkdir()
    for name, count in (("train", 12), ("test", 6), ("unlabeled", 5)):
        (folder / f"{name}_X.bin").write_bytes(DRAW.integers(0, 256, (count, 3, 96, 96), dtype=np.uint8).tobytes())
        (folder / f"{name}_y.bin").write_bytes((np.arange(count, dtype=np.uint8) % 3 + 1).tobytes())
    text(folder / "class_names.txt", "ape", "bat", "cow")


def imagenet(root: Path) -> None:
    for split, count in (("train", 4), ("val", 2)):
        for name in ("n01", "n02"):
            for number in range(count):
                jpeg(root / "imagenet" / split / name / f"{number}.JPEG")


def food(root: Path) -> None:
    for split, numbers in (("train", range(3)), ("test", range(3, 5))):
        listed = {name: [f"{name}/{number}" for number in numbers] for name in ("pie", "soup")}
        text(root / "food-101" / "meta" / f"{split}.json", json.dumps(listed))
        for path in (path for paths in listed.values() for path in paths):
            jpeg(root / "food-101" / "images" / f"{path}.jpg")


def birdsnap(root: Path) -> None:
    for name in ("Crow", "Wren"):
        for number in range(5):
            jpeg(root / "birdsnap" / "images" / name / f"{number}.jpg")
    text(root / "birdsnap" / "test_images.txt", "path", "Crow/4.jpg", "Wren/4.jpg", "Wren/gone.jpg")


def sun(root: Path) -> None:
    text(root / "SUN397" / "ClassName.txt", "/a/abbey", "/b/bar/outdoor")
    for file, numbers in (("Training_01.txt", range(3)), ("Testing_01.txt", range(3, 5))):
        listed = [f"{name}/sun_{n}.jpg" for name in ("/a/abbey", "/b/bar/outdoor") for n in numbers]
        text(root / "SUN397" / file, *listed)
        for path in listed:
            jpeg(root / f"SUN397{path}")


def cars(root: Path) -> None:
    folder = root / "stanford_cars"
    (folder / "devkit").mkdir(parents=True)
    savemat(folder / "devkit" / "cars_meta.mat", {"class_names": np.array(["Audi", "BMW"], dtype=object)})
    for split, file in (("train", "devkit/cars_train_annos.mat"), ("test", "cars_test_annos_withlabels.mat")):
        kind = [("fname", object), ("class", int)]
        rows = np.array([(f"{n}.jpg", n % 2 + 1) for n in range(6)], dtype=kind)
        savemat(folder / file, {"annotations": rows})
        for n in range(6):
            jpeg(folder / f"cars_{split}" / f"{n}.jpg")


def aircraft(root: Path) -> None:
    folder = root / "fgvc-aircraft-2013b" / "data"
    text(folder / "variants.txt", "707", "A 320")
    for split in ("train", "val", "test"):
        text(folder / f"images_variant_{split}.txt", *(f"{split}{n} {('707', 'A 320')[n % 2]}" for n in range(4)))
        for n in range(4):
            jpeg(folder / "images" / f"{split}{n}.jpg")


def voc(root: Path) -> None:
    folder = root / "VOCdevkit" / "VOC2007"
    marks = {"train": ("1 -1", "0  1"), "val": ("1  1", "-1 1"), "test": ("1 -1", "1  0")}
    for split, rows in marks.items():
        for column, name in enumerate(("cat", "dog")):
            lines = [f"{split}{n} {row.split()[column]}" for n, row in enumerate(rows)]
            text(folder / "ImageSets" / "Main" / f"{name}_{split}.txt", *lines)
        for n in range(2):
            jpeg(folder / "JPEGImages" / f"{split}{n}.jpg")


def textures(root: Path) -> None:
    for split in ("train", "val", "test"):
        listed = [f"{name}/{name}_{split}{n}.jpg" for name in ("dotted", "woven") for n in range(2)]
        text(root / "dtd" / "dtd" / "labels" / f"{split}1.txt", *listed)
        for path in listed:
            jpeg(root / "dtd" / "dtd" / "images" / path)


def pets(root: Path) -> None:
    folder = root / "oxford-iiit-pet"
    for split in ("trainval", "test"):
        names = [f"{name}_{split}{n}" for name in ("Bengal", "great_dane") for n in range(4)]
        text(folder / "annotations" / f"{split}.txt", *(f"{name} {1 + name.startswith('g')} 1 1" for name in names))
        for name in names:
            jpeg(folder / "images" / f"{name}.jpg")


def caltech(root: Path) -> None:
    for name, count in (("BACKGROUND_Google", 33), ("ant", 32)):
        for number in range(count):
            jpeg(root / "caltech101" / "101_ObjectCategories" / name / f"image_{number:04}.jpg")


def flowers(root: Path) -> None:
    folder = root / "flowers-102"
    folder.mkdir()
    savemat(folder / "imagelabels.mat", {"labels": np.arange(12) % 2 + 1})
    savemat(folder / "setid.mat", {"trnid": np.arange(1, 5), "valid": np.arange(5, 9), "tstid": np.arange(9, 13)})
    for number in range(1, 13):
        jpeg(folder / "jpg" / f"image_{number:05}.jpg")


WRITERS: Mapping[str, tuple[Callable[[Path], None], dict[str, int]]] = {
    "mnist": (lambda root: clothes(root, "MNIST/raw", ""), {"train": 10, "validation": 10, "test": 10}),
    "fashion-mnist": (clothes, {"train": 10, "validation": 10, "test": 10}),
    "cifar10": (cifar, {"train": 40, "validation": 10, "test": 10}),
    "cifar100": (lambda root: cifar(root, True), {}),
    "svhn": (svhn, {"train": 9, "validation": 3, "test": 6}),
    "stl10": (stl10, {"train": 9, "validation": 3, "test": 6, "unlabelled": 5}),
    "imagenet": (imagenet, {"train": 6, "validation": 2, "test": 4}),
    "food101": (food, {"train": 4, "validation": 2, "test": 4}),
    "birdsnap": (birdsnap, {"train": 6, "validation": 2, "test": 2}),
    "sun397": (sun, {"train": 4, "validation": 2, "test": 4}),
    "stanford-cars": (cars, {"train": 4, "validation": 2, "test": 6}),
    "fgvc-aircraft": (aircraft, {"train": 4, "validation": 4, "test": 4}),
    "voc2007": (voc, {"train": 2, "validation": 2, "test": 2}),
    "dtd": (textures, {"train": 4, "validation": 4, "test": 4}),
    "oxford-pets": (pets, {"train": 6, "validation": 2, "test": 8}),
    "caltech101": (caltech, {"train": 54, "validation": 6, "test": 5}),
    "oxford-flowers": (flowers, {"train": 4, "validation": 4, "test": 4}),
}

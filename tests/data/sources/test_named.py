"""Every named set, read by torchvision's own code from small files in the layout of the real ones."""

import gzip
import json
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from scipy.io import savemat
from torchvision import datasets

from supcon.base.errors import RequestError, WorkError
from supcon.data.catalogue import BY_NAME, CATALOGUE, NAMES
from supcon.data.config import DataConfig
from supcon.data.listed_data import open_collection
from supcon.data.load import load_data
from supcon.data.sources.named import _DOWNLOADS, _READERS

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


@pytest.fixture(autouse=True)
def no_checksums(monkeypatch: pytest.MonkeyPatch) -> None:
    """The small files are not those that torchvision knows the checksums of."""
    for kind in (datasets.CIFAR10, datasets.SVHN, datasets.STL10, datasets.Flowers102):
        monkeypatch.setattr(kind, "_check_integrity", lambda _: True)
    monkeypatch.setattr("torchvision.datasets.cifar.check_integrity", lambda *_: True)
    monkeypatch.setattr("torchvision.datasets.svhn.check_integrity", lambda *_: True)


@pytest.mark.parametrize("name", [name for name in WRITERS if name != "cifar100"])
def test_every_set_is_read_in_its_splits(name: str, tmp_path: Path) -> None:
    write, counts = WRITERS[name]
    write(tmp_path)
    data = load_data(DataConfig(spec=name, root=str(tmp_path)))
    assert data.counts == counts
    assert (data.name, data.metric) == (name, BY_NAME[name].metric)
    assert data.multi_label == (name == "voc2007")


def test_cifar100_has_its_fine_classes(tmp_path: Path) -> None:
    cifar(tmp_path, hundred=True)
    found = open_collection(DataConfig(spec="cifar100", root=str(tmp_path)))
    assert (len(found.class_names), len(found.given["train"]), len(found.given["test"])) == (100, 10, 10)


def test_nothing_is_forgotten() -> None:
    assert set(WRITERS) == set(NAMES) - {"digits"} == set(_READERS) | {"imagenet"}
    assert set(_DOWNLOADS) >= {entry.name for entry in CATALOGUE if entry.download} - {"digits"}
    assert sum(entry.transfer for entry in CATALOGUE) == 12
    assert {entry.name for entry in CATALOGUE if entry.metric == "mean_per_class"} == {
        *("fgvc-aircraft", "oxford-pets", "caltech101", "oxford-flowers")
    }


def test_labels_go_with_their_images(tmp_path: Path) -> None:
    pets(tmp_path)
    found = open_collection(DataConfig(spec="oxford-pets", root=str(tmp_path)))
    assert found.class_names == ("Bengal", "Great Dane")
    for row, label in enumerate(found.labels.tolist()):
        assert found.image_name(row).startswith(
            ("oxford-iiit-pet/images/Bengal", "oxford-iiit-pet/images/great")[label]
        )
    flowers(tmp_path)
    found = open_collection(DataConfig(spec="oxford-flowers", root=str(tmp_path)))
    assert found.labels.tolist() == [0, 1] * 6


def test_difficult_objects_of_voc_are_not_judged(tmp_path: Path) -> None:
    voc(tmp_path)
    data = load_data(DataConfig(spec="voc2007", root=str(tmp_path)))
    assert data.train.labels.tolist() == [[1, 0], [-1, 1]]
    assert data.test.labels.tolist() == [[1, 0], [1, -1]]


def test_caltech_trains_on_the_same_thirty_of_a_class(tmp_path: Path) -> None:
    caltech(tmp_path)
    first, again = (open_collection(DataConfig(spec="caltech101", root=str(tmp_path))) for _ in range(2))
    assert np.bincount(first.labels[first.given["train"]]).tolist() == [30, 30]
    names = [[found.image_name(row) for row in found.given["train"].tolist()] for found in (first, again)]
    assert names[0] == names[1]


def test_the_environment_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clothes(tmp_path)
    monkeypatch.setenv("SUPCON_DATA", str(tmp_path))
    assert load_data(DataConfig(spec="fashion-mnist")).channels == 1


def test_debians_copy_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clothes(tmp_path)
    monkeypatch.setattr("supcon.data.sources.locations.DEBIAN", tmp_path)
    data = load_data(DataConfig(spec="fashion-mnist", root=str(tmp_path / "elsewhere")))
    assert data.class_names[9] == "Ankle boot"
    assert torch.equal(data.test.labels, torch.arange(10))


def test_a_set_that_is_not_here(tmp_path: Path) -> None:
    with pytest.raises(RequestError) as caught:
        load_data(DataConfig(spec="cifar10", root=str(tmp_path)))
    assert str(caught.value) == (
        f"cifar10 (170 MB) was not found as {tmp_path}/cifar-10-batches-py; download it with --download, "
        "or give its folder with --data-root or SUPCON_DATA."
    )
    with pytest.raises(RequestError, match=r"^imagenet \(144 GB\) was not found as .*; get it from image-net\.org"):
        load_data(DataConfig(spec="imagenet", root=str(tmp_path), download=True))


def test_downloads_happen_only_when_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Path] = []

    def fetch(root: Path) -> None:
        asked.append(root)
        clothes(root)

    monkeypatch.setitem(_DOWNLOADS, "fashion-mnist", fetch)
    monkeypatch.setattr("supcon.data.sources.locations.DEBIAN", tmp_path / "no Debian")
    with pytest.raises(RequestError, match="was not found as"):
        load_data(DataConfig(spec="fashion-mnist", root=str(tmp_path / "data")))
    for _ in range(2):
        load_data(DataConfig(spec="fashion-mnist", root=str(tmp_path / "data"), download=True))
    assert asked == [tmp_path / "data"]

    def fail(_: Path) -> None:
        raise RuntimeError("no\nconnection")

    monkeypatch.setitem(_DOWNLOADS, "svhn", fail)
    with pytest.raises(WorkError, match=r"^svhn could not be downloaded to .* \(no connection\); try again later\.$"):
        load_data(DataConfig(spec="svhn", root=str(tmp_path / "data"), download=True))


def test_a_damaged_set_is_named(tmp_path: Path) -> None:
    (tmp_path / "cifar-10-batches-py").mkdir()
    with pytest.raises(RequestError, match=r"^cifar10 in .* cannot be read \(.*\); download it again\.$"):
        load_data(DataConfig(spec="cifar10", root=str(tmp_path)))

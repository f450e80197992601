"""Named sets whose splits in the paper's protocol torchvision does not provide: read from the authors' files."""

from pathlib import Path

import numpy as np

from supcon.base.errors import RequestError
from supcon.data.sources.listing import list_files, subfolders
from supcon.data.sources.torchvision_sets import NamedSplit
from supcon.data.stratified_splits import Indices

_CALTECH_TRAIN = 30
_CALTECH_SEED = 0


def read_sun397(root: Path) -> dict[str, NamedSplit]:
    """The first of the ten partitions: 50 training and 50 test images per class."""
    folder = root / "SUN397"
    class_names = [line.strip() for line in (folder / "ClassName.txt").read_text("utf-8").splitlines() if line.strip()]
    index = {name: label for label, name in enumerate(class_names)}
    parts = {}
    for split, file in (("train", "Training_01.txt"), ("test", "Testing_01.txt")):
        if not (folder / file).exists():
            raise RequestError(
                f"{folder / file} is missing, and sun397 is split by its authors' first partition; unpack "
                "Partitions.zip into that folder."
            )
        paths = [line.strip() for line in (folder / file).read_text("utf-8").splitlines() if line.strip()]
        labels = np.array([index[path.rsplit("/", 1)[0]] for path in paths], dtype=np.int64)
        parts[split] = NamedSplit(
            [folder / path.lstrip("/") for path in paths], labels, [name[3:] for name in class_names]
        )
    return parts


def read_caltech101(root: Path) -> dict[str, NamedSplit]:
    """Thirty random training images of each of 102 classes (including background); the others are the test split.

    The protocol does not say which thirty; here they are drawn with a fixed seed.
    """
    folders = subfolders(root / "caltech101" / "101_ObjectCategories")
    files = [list_files(folder) for folder in folders]
    draw = np.random.default_rng(_CALTECH_SEED)
    orders = [draw.permutation(len(paths)) for paths in files]
    cuts = {"train": slice(None, _CALTECH_TRAIN), "test": slice(_CALTECH_TRAIN, None)}
    parts = {}
    for split, cut in cuts.items():
        chosen = [(paths[i], label) for label, (paths, order) in enumerate(zip(files, orders, strict=True))
                  for i in np.sort(order[cut])]  # fmt: skip
        parts[split] = NamedSplit(
            [path for path, _ in chosen],
            np.array([label for _, label in chosen], dtype=np.int64),
            [folder.name for folder in folders],
        )
    return parts


def read_birdsnap(root: Path) -> dict[str, NamedSplit]:
    """The images found on disk; those listed in `test_images.txt` are the test split."""
    folder = root / "birdsnap"
    if not (folder / "test_images.txt").exists():
        raise RequestError(f"{folder / 'test_images.txt'} is missing; copy it from the files of Birdsnap's authors.")
    named = (folder / "test_images.txt").read_text("utf-8").splitlines()
    test = {line.strip() for line in named if "/" in line}
    folders = subfolders(folder / "images")
    found = [(path, label) for label, species in enumerate(folders) for path in list_files(species)]
    parts = {}
    for split in ("train", "test"):
        some = [pair for pair in found if (str(pair[0].relative_to(folder / "images")) in test) == (split == "test")]
        labels: Indices = np.array([label for _, label in some], dtype=np.int64)
        parts[split] = NamedSplit([path for path, _ in some], labels, [species.name for species in folders])
    return parts


def read_voc2007(root: Path) -> dict[str, NamedSplit]:
    """Train, validation and test with several labels per image, from the challenge's lists.

    The lists have 1 for a class that is in the image, -1 for one that is not, and 0 for one of which all objects are
    marked difficult, which the challenge does not score; here these are 1, 0 and -1.
    """
    folder = root / "VOCdevkit" / "VOC2007"
    lists = folder / "ImageSets" / "Main"
    class_names = sorted({path.name.removesuffix("_test.txt") for path in lists.glob("*_test.txt")})
    parts = {}
    for split, theirs in (("train", "train"), ("validation", "val"), ("test", "test")):
        columns = [_voc_list(lists / f"{name}_{theirs}.txt") for name in class_names]
        images = [image for image, _ in columns[0]] if columns else []
        marks = np.array([[mark for _, mark in column] for column in columns], dtype=np.int64).T
        labels = np.select([marks == 1, marks == 0], [1, -1], 0)
        parts[split] = NamedSplit([folder / "JPEGImages" / f"{image}.jpg" for image in images], labels, class_names)
    return parts


def _voc_list(path: Path) -> list[tuple[str, int]]:
    if not path.exists():
        raise RequestError(f"{path} is missing; unpack both the trainval and the test archives of voc2007 there.")
    pairs = [line.split() for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [(image, int(mark)) for image, mark in pairs]

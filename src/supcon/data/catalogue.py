"""The named data sets. Imports no torch, so that `supcon datasets` starts quickly.

Counts and metrics of the twelve sets with `transfer=True` follow the protocol of the paper's Table 4, which is that of
Kornblith et al. (2019), Table 1. Where the published files differ from that table (Oxford-IIIT Pets has 3,669 test
images, not 3,369), the count is that of the files.
"""

from dataclasses import dataclass
from typing import Literal

Metric = Literal["top1", "mean_per_class", "map_11_point"]
"""How a set's results are reported: accuracy, accuracy averaged over classes, mean average precision at 11 points."""


@dataclass(frozen=True, kw_only=True)
class NamedData:
    """Description of a named data set: size, metric, where it is found and how to get it."""

    name: str
    classes: int
    train: int
    """Number of training images, including those of a validation split."""
    test: int
    image_size: str
    gigabytes: float | None
    """Size of the download, or on disk if it cannot be downloaded; none: part of a package, or not known."""
    about: str
    metric: Metric = "top1"
    transfer: bool = False
    """Whether it is one of the twelve of the paper's transfer table."""
    markers: tuple[str, ...] = ()
    """Paths below the data root; the set is present if one of them exists. Empty: no files are needed."""
    download: bool = True
    """Whether `--download` can fetch it."""
    source: str = ""
    """Where to get a set that `--download` cannot fetch."""

    @property
    def images(self) -> int:
        return self.train + self.test

    @property
    def size(self) -> str:
        """The size as text, such as `170 MB`."""
        if self.gigabytes is None:
            return "built in" if not self.markers else "not known"
        if self.gigabytes < 1:
            return f"{1000 * self.gigabytes:,.0f} MB"
        return f"{self.gigabytes:,.1f} GB" if self.gigabytes < 10 else f"{self.gigabytes:,.0f} GB"


CATALOGUE = (
    NamedData(
        name="digits",
        classes=10,
        train=1437,
        test=360,
        image_size="8x8 grey",
        gigabytes=None,
        about="handwritten digits inside scikit-learn; fixed split of 1,257 / 180 / 360",
    ),
    NamedData(
        name="mnist",
        classes=10,
        train=60_000,
        test=10_000,
        image_size="28x28 grey",
        gigabytes=0.012,
        markers=("MNIST/raw", "mnist"),
        about="handwritten digits",
    ),
    NamedData(
        name="fashion-mnist",
        classes=10,
        train=60_000,
        test=10_000,
        image_size="28x28 grey",
        gigabytes=0.031,
        markers=("FashionMNIST/raw", "fashion-mnist"),
        about="clothing; the files of Debian's package dataset-fashion-mnist can be used directly",
    ),
    NamedData(
        name="svhn",
        classes=10,
        train=73_257,
        test=26_032,
        image_size="32x32",
        gigabytes=0.25,
        markers=("train_32x32.mat",),
        about="house numbers; without the extra images",
    ),
    NamedData(
        name="stl10",
        classes=10,
        train=5_000,
        test=8_000,
        image_size="96x96",
        gigabytes=2.6,
        markers=("stl10_binary",),
        about="objects; its 100,000 unlabelled images are used by stage 1",
    ),
    NamedData(
        name="imagenet",
        classes=1000,
        train=1_281_167,
        test=50_000,
        image_size="about 500x400",
        gigabytes=144,
        markers=("imagenet/train", "ILSVRC/Data/CLS-LOC/train"),
        download=False,
        source="image-net.org after signing up; unpack to imagenet/train/WNID/ and imagenet/val/WNID/",
        about="objects; results are on the 50,000 validation images, as in the literature",
    ),
    NamedData(
        name="cifar10",
        classes=10,
        train=50_000,
        test=10_000,
        image_size="32x32",
        gigabytes=0.17,
        transfer=True,
        markers=("cifar-10-batches-py",),
        about="objects",
    ),
    NamedData(
        name="cifar100",
        classes=100,
        train=50_000,
        test=10_000,
        image_size="32x32",
        gigabytes=0.17,
        transfer=True,
        markers=("cifar-100-python",),
        about="objects",
    ),
    NamedData(
        name="food101",
        classes=101,
        train=75_750,
        test=25_250,
        image_size="up to 512",
        gigabytes=5.0,
        transfer=True,
        markers=("food-101/images",),
        about="dishes",
    ),
    NamedData(
        name="birdsnap",
        classes=500,
        train=47_386,
        test=2_443,
        image_size="various",
        gigabytes=None,
        transfer=True,
        markers=("birdsnap/images",),
        download=False,
        source="thomasberg.org, whose script downloads the images one by one; put them in birdsnap/images/, next to "
        "birdsnap/test_images.txt",
        about="birds of North America; images that are no longer online are left out",
    ),
    NamedData(
        name="sun397",
        classes=397,
        train=19_850,
        test=19_850,
        image_size="various",
        gigabytes=39,
        transfer=True,
        markers=("SUN397/ClassName.txt",),
        about="scenes; first partition: put its files Training_01.txt and Testing_01.txt into SUN397/",
    ),
    NamedData(
        name="stanford-cars",
        classes=196,
        train=8_144,
        test=8_041,
        image_size="various",
        gigabytes=2.0,
        transfer=True,
        markers=("stanford_cars/devkit",),
        download=False,
        source="copies of the authors' files (their own page is offline); use the stanford_cars/ layout of torchvision",
        about="models of cars",
    ),
    NamedData(
        name="fgvc-aircraft",
        classes=100,
        train=6_667,
        test=3_333,
        image_size="about 1000",
        gigabytes=2.8,
        metric="mean_per_class",
        transfer=True,
        markers=("fgvc-aircraft-2013b/data",),
        about="variants of aircraft",
    ),
    NamedData(
        name="voc2007",
        classes=20,
        train=5_011,
        test=4_952,
        image_size="about 500",
        gigabytes=0.9,
        metric="map_11_point",
        transfer=True,
        markers=("VOCdevkit/VOC2007/ImageSets/Main",),
        about="everyday scenes, several labels per image; objects marked difficult are not scored",
    ),
    NamedData(
        name="dtd",
        classes=47,
        train=3_760,
        test=1_880,
        image_size="300 to 640",
        gigabytes=0.63,
        transfer=True,
        markers=("dtd/dtd/labels",),
        about="textures; first partition",
    ),
    NamedData(
        name="oxford-pets",
        classes=37,
        train=3_680,
        test=3_669,
        image_size="various",
        gigabytes=0.81,
        metric="mean_per_class",
        transfer=True,
        markers=("oxford-iiit-pet/annotations",),
        about="breeds of cats and dogs",
    ),
    NamedData(
        name="caltech101",
        classes=102,
        train=3_060,
        test=6_084,
        image_size="about 300",
        gigabytes=0.15,
        metric="mean_per_class",
        transfer=True,
        markers=("caltech101/101_ObjectCategories",),
        about="objects and background; 30 training images per class, always the same",
    ),
    NamedData(
        name="oxford-flowers",
        classes=102,
        train=2_040,
        test=6_149,
        image_size="at least 500",
        gigabytes=0.35,
        metric="mean_per_class",
        transfer=True,
        markers=("flowers-102/jpg",),
        about="flowers of Britain",
    ),
)
NAMES = tuple(entry.name for entry in CATALOGUE)
BY_NAME = {entry.name: entry for entry in CATALOGUE}

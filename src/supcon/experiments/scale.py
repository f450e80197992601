"""The scales at which experiments are run; does not import torch."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from supcon.data import short_name
from supcon.recipes import Method, Recipe, find_recipe

Config = TypeVar("Config")

ScaleName = Literal["smoke", "small", "paper"]


@dataclass(frozen=True, kw_only=True)
class Scale:
    """The recipe of all cells, and the size of the grids."""

    name: ScaleName
    about: str
    recipe: str
    """The recipe of SupCon; other methods use its variants."""

    changes: Mapping[str, Any] = field(default_factory=dict)
    """Changes to the recipe of every cell."""

    needs_data: bool = False
    """Whether `--data` must be given."""

    seeds: tuple[int, ...] = (0, 1, 2)
    corruptions: str = "standard"
    """As `supcon evaluate --corruptions` takes them."""

    corrupted_gigabytes: float | None = None
    """Storage for the corrupted test images, which are made once; if they take more, every n-th test image is used.
    None: no limit."""

    transfer_to: tuple[str, ...] = ("digits",)
    linear_transfer: bool = False
    """Whether a linear classifier on the frozen encoder is measured in addition to fine-tuning."""

    transfer: Mapping[str, Any] = field(default_factory=dict)
    """Values of `TransferConfig`."""

    differs: str = ""
    """How it differs from the paper, for every experiment."""

    @property
    def transfers(self) -> list[str]:
        """What is measured of every encoder that is transferred, as the beginnings of the measures."""
        protocols = ("fine_tune", "linear") if self.linear_transfer else ("fine_tune",)
        return [f"transfer/{short_name(data)}/{protocol}/" for protocol in protocols for data in self.transfer_to]

    @property
    def is_paper(self) -> bool:
        return self.name == "paper"

    def base(self, method: Method = "supcon") -> Recipe:
        """The recipe of a method at this scale, before the changes of a setting."""
        return with_changes(find_recipe(self.recipe, method), self.changes)


def with_changes(config: Config, changes: Mapping[str, Any]) -> Config:
    """A recipe, or a part of one, with values replaced by their dotted names.

    Like `change_recipe`, but without checking types, which takes a tenth of a second; a grid has hundreds of cells.
    """
    own = {name: value for name, value in changes.items() if "." not in name}
    parts: dict[str, dict[str, Any]] = {}
    for name, value in changes.items():
        group, _, rest = name.partition(".")
        if rest:
            parts.setdefault(group, {})[rest] = value
    return replace(
        config, **own, **{group: with_changes(getattr(config, group), some) for group, some in parts.items()}
    )  # type: ignore[type-var]


SMOKE = Scale(
    name="smoke",
    about="scikit-learn's digits, one epoch: a minute, to see that everything works",
    recipe="digits",
    changes={
        "stage1.epochs": 1,
        "stage2.epochs": 1,
        "stage1.optimizer.warmup_epochs": 0.0,
        "stage1.knn_every": 0,
        "encoder.width": 8,
        "hardware.device": "cpu",
    },
    seeds=(0,),
    corruptions="gaussian_noise,fog,jpeg_compression",
    transfer={"steps": 2, "batch_size": 32, "grid": "small"},
    differs="1,797 images of digits and a single epoch: the values mean nothing and only show that everything runs.",
)

SMALL = Scale(
    name="small",
    about="a folder of CIFAR-10 given by --data, 500 training images a class, a network of 77,000 weights: minutes a "
    "cell on one core",
    recipe="cifar10-500",
    changes={"data.hold": "cache", "hardware.device": "cpu"},
    needs_data=True,
    corrupted_gigabytes=2.4,  # all test images of CIFAR-10 at 32 pixels
    linear_transfer=True,
    transfer={"steps": 300, "grid": "small", "crop_area": (0.2, 1.0), "flip_probability": 0.0},
    differs="CIFAR-10 (500 training images a class, all test images) instead of ImageNet, 40 epochs of the "
    "network of the recipe cifar10-500 instead of 350 of a ResNet-50; temperature, rates, views and projection are "
    "that recipe's.",
)

PAPER = Scale(
    name="paper",
    about="the authors' data, networks and epochs: needs many GPUs",
    recipe="imagenet-resnet50",
    seeds=(0,),
    transfer_to=(
        "food101",
        "cifar10",
        "cifar100",
        "birdsnap",
        "sun397",
        "stanford-cars",
        "fgvc-aircraft",
        "voc2007",
        "dtd",
        "oxford-pets",
        "caltech101",
        "oxford-flowers",
    ),
    differs="The authors' settings, as in the recipes imagenet-* and cifar*.",
)

SCALES: dict[ScaleName, Scale] = {scale.name: scale for scale in (SMOKE, SMALL, PAPER)}

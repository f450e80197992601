"""Settings of the views; does not import torch.

TF is the authors' TensorFlow code (google-research/supcon), SC their PyTorch code for CIFAR (HobbitLong/SupContrast).
"""

from dataclasses import dataclass
from typing import Literal, get_args

from supcon.views.number_checks import check_at_least_one, check_choice, check_range, check_within

AugmentationName = Literal["crop-flip", "sim-augment", "auto-augment", "rand-augment", "stacked-rand-augment"]
PolicyName = Literal["imagenet-v0", "imagenet", "cifar10", "svhn"]
OperationSet = Literal["authors", "torchvision"]
StackedOrder = Literal["rand-augment-first", "jitter-first"]
CropLaw = Literal["torchvision", "tensorflow"]
JitterKind = Literal["torchvision", "tensorflow"]
SigmaScope = Literal["image", "batch"]
BlurBorder = Literal["mirror", "grey"]
EngineName = Literal["auto", "batched", "per-image"]

LARGEST_MAGNITUDE: dict[OperationSet, int] = {"authors": 10, "torchvision": 30}
"""The largest RandAugment magnitude of each set: 10 in TF; torchvision has 31 bins, 0 to 30."""


@dataclass(frozen=True, kw_only=True)
class ViewsConfig:
    """The random augmentation Aug(·) that makes the views of an image.

    Parameters of steps that `augmentation` does not have are unused; `supcon train` reports them if set.
    """

    augmentation: AugmentationName = "sim-augment"
    """The augmentation. All start with a random crop and flip; `crop-flip` consists of these only."""

    count: int = 2
    """Views of an image in a multiviewed batch (the paper: 2)."""

    crop_area: tuple[float, float] = (0.08, 1.0)
    """Smallest and largest area of a crop, as a fraction of the image (TF, ImageNet; SC on CIFAR: 0.2 to 1)."""

    crop_aspect: tuple[float, float] = (3 / 4, 4 / 3)
    """Smallest and largest aspect ratio (width / height) of a crop (SC, torchvision; TF: 0.75 to 1.33)."""

    crop_law: CropLaw = "torchvision"
    """How crops are drawn. `torchvision` (SC): uniform area, log-uniform aspect ratio. `tensorflow` (TF, its
    sample_distorted_bounding_box): uniform aspect ratio, then uniform height, at least a tenth of the image."""

    flip_probability: float = 0.5
    """Probability of a horizontal flip (TF, SC). Use 0 if mirroring changes the class, as for digits."""

    jitter_probability: float = 0.8
    """Probability of the colour jitter (TF, SC)."""

    jitter_kind: JitterKind = "torchvision"
    """`torchvision` (SC, TF on CIFAR): brightness is a factor, contrast and saturation blend with the luma.
    `tensorflow` (TF on ImageNet): brightness is added, contrast scales around each channel's mean, saturation scales
    S of HSV."""

    jitter_strength: float = 0.5
    """Factor on the four jitter amounts below (TF: 0.5 on CIFAR, 1 on ImageNet; SC's 0.4, 0.4, 0.4, 0.1 are 0.5)."""

    brightness: float = 0.8
    """Brightness factor in 1 ± this times the strength, or the added value in ± that (TF, from SimCLR)."""

    contrast: float = 0.8
    """Contrast factor in 1 ± this times the strength (TF, from SimCLR)."""

    saturation: float = 0.8
    """Saturation factor in 1 ± this times the strength (TF, from SimCLR). Always off for grey images."""

    hue: float = 0.2
    """Hue shift in ± this times the strength, as a fraction of the circle (TF, from SimCLR). Always off for grey
    images."""

    grey_probability: float = 0.2
    """Probability of conversion to grey (TF, SC). Always off for grey images."""

    warp_probability: float = 0.5
    """Probability of the warp (TF has the function, but its ImageNet scripts do not use it; the paper does)."""

    warp_length: float = 23 / 224
    """Largest scale of the shifts of the warp's control points, as a fraction of the side (TF: 23 pixels of 224)."""

    blur_probability: float = 0.5
    """Probability of the blur (TF, ImageNet; on CIFAR both TF and SC use 0)."""

    blur_sigma: tuple[float, float] = (0.1, 2.0)
    """Smallest and largest standard deviation of the blur, in pixels (TF)."""

    blur_sigma_per: SigmaScope = "image"
    """Whether sigma is drawn for every image, or once for all rows of a step (TF, which blurs on its accelerators)."""

    blur_border: BlurBorder = "mirror"
    """Padding of the blur: the image mirrored (torchvision), or mid-grey (TF)."""

    blur_kernel: float = 0.1
    """Size of the blur kernel as a fraction of the side (TF: a tenth, made odd)."""

    rand_augment_layers: int = 2
    """RandAugment's N: number of operations applied to a view (TF)."""

    rand_augment_magnitude: float = 10
    """RandAugment's M: strength of every operation (TF: 10 of 10; up to 30 with the torchvision operations)."""

    rand_augment_operations: OperationSet = "authors"
    """RandAugment's operations: TF's sixteen and identity, as computed by TF, or torchvision's fourteen."""

    auto_augment_policy: PolicyName = "imagenet-v0"
    """AutoAugment's policy: imagenet-v0 is TF's, the others are torchvision's."""

    stacked_order: StackedOrder = "rand-augment-first"
    """Order of Stacked RandAugment: RandAugment before the colour jitter, as in the paper, or after it, as in TF."""

    engine: EngineName = "auto"
    """Where views are made: `batched` on the batch's device, `per-image` in the loader's workers, `auto` by device and
    size."""

    def __post_init__(self) -> None:
        check_choice("views.augmentation", self.augmentation, get_args(AugmentationName))
        check_choice("views.rand_augment_operations", self.rand_augment_operations, get_args(OperationSet))
        check_choice("views.auto_augment_policy", self.auto_augment_policy, get_args(PolicyName))
        check_choice("views.stacked_order", self.stacked_order, get_args(StackedOrder))
        check_choice("views.crop_law", self.crop_law, get_args(CropLaw))
        check_choice("views.jitter_kind", self.jitter_kind, get_args(JitterKind))
        check_choice("views.blur_sigma_per", self.blur_sigma_per, get_args(SigmaScope))
        check_choice("views.blur_border", self.blur_border, get_args(BlurBorder))
        check_choice("views.engine", self.engine, get_args(EngineName))
        check_at_least_one("views.count", self.count)
        check_range("views.crop_area", self.crop_area, largest=1)
        check_range("views.crop_aspect", self.crop_aspect)
        check_range("views.blur_sigma", self.blur_sigma)
        for name in ("flip", "jitter", "grey", "warp", "blur"):
            check_within(f"views.{name}_probability", getattr(self, f"{name}_probability"), largest=1)
        for name in ("jitter_strength", "brightness", "contrast", "saturation", "warp_length"):
            check_within(f"views.{name}", getattr(self, name))
        check_within("views.blur_kernel", self.blur_kernel, largest=1)
        check_within("views.hue times views.jitter_strength", self.hue * self.jitter_strength, largest=0.5)
        check_rand_augment(self.rand_augment_layers, self.rand_augment_magnitude, self.rand_augment_operations)


def check_rand_augment(layers: int, magnitude: float, operations: OperationSet) -> None:
    """Raises an error if these values are not valid for RandAugment."""
    check_choice("RandAugment's operations", operations, get_args(OperationSet))
    check_at_least_one("RandAugment's layers", layers)
    name = f"RandAugment's magnitude, with the {operations} operations,"
    check_within(name, magnitude, largest=LARGEST_MAGNITUDE[operations])

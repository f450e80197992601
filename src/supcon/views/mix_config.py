"""Settings of MixUp and CutMix; does not import torch."""

from dataclasses import dataclass
from typing import Literal, get_args

from supcon.views.number_checks import check_choice, check_positive, check_within

MixMethod = Literal["none", "mixup", "cutmix"]


@dataclass(frozen=True, kw_only=True)
class MixConfig:
    """MixUp or CutMix of the images of a batch.

    As published for cross-entropy; for contrastive losses it is our extension, which the paper leaves to future work.
    """

    method: MixMethod = "none"
    """mixup blends two images, cutmix pastes a box of one into the other."""

    alpha: float = 1.0
    """The weight of an image is drawn from Beta(alpha, alpha) (CutMix: 1; MixUp: 0.2 on ImageNet, 1 on CIFAR)."""

    probability: float = 1.0
    """Probability that an image is mixed."""

    def __post_init__(self) -> None:
        check_choice("mix.method", self.method, get_args(MixMethod))
        check_within("mix.probability", self.probability, largest=1)
        check_positive("mix.alpha", self.alpha)

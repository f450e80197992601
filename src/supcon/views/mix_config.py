"""What a recipe says about mixing images; free of torch."""

from dataclasses import dataclass
from typing import Literal, get_args

from supcon.views.number_checks import check_choice, check_positive, check_within

MixMethod = Literal["none", "mixup", "cutmix"]


@dataclass(frozen=True, kw_only=True)
class MixConfig:
    """MixUp or CutMix of the images of a batch.

    For the cross-entropy baselines as published; for the contrastive loss our own extension, since the paper leaves it
    as future work.
    """

    method: MixMethod = "none"
    """mixup blends two images, cutmix pastes a box of one into the other."""

    alpha: float = 1.0
    """The share of an image is drawn from Beta(alpha, alpha) (CutMix: 1; MixUp: 0.2 on ImageNet, 1 on CIFAR)."""

    probability: float = 1.0
    """How often an image is mixed."""

    def __post_init__(self) -> None:
        check_choice("mix.method", self.method, get_args(MixMethod))
        check_within("mix.probability", self.probability, largest=1)
        check_positive("mix.alpha", self.alpha)

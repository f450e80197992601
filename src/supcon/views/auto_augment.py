"""AutoAugment (Cubuk et al., 2019): a learned policy."""

from typing import get_args

from supcon.views.augmentation import Augmentation, shown_arguments
from supcon.views.config import PolicyName
from supcon.views.number_checks import check_choice
from supcon.views.steps.policies import read_policy
from supcon.views.steps.policy_step import PolicyStep
from supcon.views.steps.step import AnyStep


class AutoAugment(Augmentation):
    """One of 25 sub-policies per image; no crop, no flip.

    "imagenet-v0" is the policy of the TF models (tf-models-official 2.20.0), which the authors of the paper used;
    "imagenet", "cifar10" and "svhn" are the policies of the AutoAugment paper as in torchvision (0.29). Pixels that
    come from outside of the image are mirrored in the first, as in the TF models, and black in the others, as in
    torchvision.
    """

    def __init__(self, policy: PolicyName = "imagenet-v0") -> None:
        self._shown = shown_arguments(AutoAugment, locals())
        check_choice("AutoAugment's policy", policy, get_args(PolicyName))
        self._step = PolicyStep(read_policy(policy), "authors" if policy == "imagenet-v0" else "torchvision")

    @property
    def steps(self) -> tuple[AnyStep, ...]:
        """A single step, for both operations of a sub-policy."""
        return (self._step,)

"""Stacked RandAugment (Tian et al., 2020): RandAugment combined with SimAugment."""

from typing import get_args

from supcon.views.augmentation import Augmentation, shown_arguments
from supcon.views.config import OperationSet, StackedOrder
from supcon.views.number_checks import check_choice
from supcon.views.rand_augment import RandAugment
from supcon.views.sim_augment import SimAugment
from supcon.views.steps.step import AnyStep


class StackedRandAugment(Augmentation):
    """SimAugment with RandAugment before the colour jitter, as in the paper, or after it, as in TF.

    `sim_augment` provides all other steps, including crop and flip.
    """

    def __init__(
        self,
        layers: int = 2,
        magnitude: float = 10,
        *,
        operations: OperationSet = "authors",
        order: StackedOrder = "rand-augment-first",
        sim_augment: SimAugment | None = None,
    ) -> None:
        self._shown = shown_arguments(StackedRandAugment, locals())
        check_choice("order", order, get_args(StackedOrder))
        rand_augment = RandAugment(layers, magnitude, operations=operations)
        crop_flip, jitter, *rest = (sim_augment or SimAugment()).steps
        before, after = ((), (jitter,)) if order == "rand-augment-first" else ((jitter,), ())
        self._steps = (crop_flip, *before, *rand_augment.steps, *after, *rest)

    @property
    def steps(self) -> tuple[AnyStep, ...]:
        """The steps, in the chosen order."""
        return self._steps

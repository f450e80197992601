"""RandAugment (Cubuk et al., 2020): random operations, all with the same magnitude."""

from supcon.views.augmentation import Augmentation, shown_arguments
from supcon.views.config import LARGEST_MAGNITUDE, OperationSet, check_rand_augment
from supcon.views.kernels.operations import NAMES, Operation, OperationName, authors_operation, torchvision_operation
from supcon.views.steps.policy_step import PolicyStep
from supcon.views.steps.step import AnyStep

_TRANSLATION = 100 / 224
"""RandAugment of the TF models translates by up to 100 of 224 pixels."""

_NOT_IN_TORCHVISION = ("solarize-add", "invert", "cutout")


class RandAugment(Augmentation):
    """`layers` operations one after the other, each drawn uniformly; no crop, no flip.

    The "authors" operations are the sixteen of the TF models (tf-models-official 2.20.0, which the authors' code
    imports) and identity; magnitudes are 0 to 10, and pixels from outside of the image are mirrored. The "torchvision"
    operations (0.29) are its fourteen; magnitudes are 0 to 30, and pixels from outside are black.

    >>> import torch
    >>> images = torch.zeros(4, 3, 32, 32, dtype=torch.uint8)
    >>> RandAugment(layers=2, magnitude=9)(images, generator=torch.Generator().manual_seed(0)).shape
    torch.Size([4, 3, 32, 32])
    """

    def __init__(self, layers: int = 2, magnitude: float = 9, *, operations: OperationSet = "authors") -> None:
        self._shown = shown_arguments(RandAugment, locals())
        check_rand_augment(layers, magnitude, operations)
        policy = [((operation, 1.0),) for operation in rand_augment_operations(magnitude, operations)]
        self._step = PolicyStep(policy, operations, layers)

    @property
    def steps(self) -> tuple[AnyStep, ...]:
        """A single step, for all layers."""
        return (self._step,)


def rand_augment_operations(magnitude: float, operations: OperationSet) -> list[Operation]:
    """The operations that a layer chooses from."""
    if operations == "authors":
        return [authors_operation(name, magnitude, _TRANSLATION) for name in NAMES]
    share = magnitude / LARGEST_MAGNITUDE["torchvision"]
    names: list[OperationName] = [name for name in NAMES if name not in _NOT_IN_TORCHVISION]
    return [torchvision_operation(name, share) for name in names]

"""RandAugment (Cubuk et al., 2020): operations at random, all with one magnitude."""

from supcon.views.augmentation import Augmentation
from supcon.views.config import LARGEST_MAGNITUDE, OperationSet, check_rand_augment
from supcon.views.kernels.operations import NAMES, Operation, OperationName, authors_operation, torchvision_operation
from supcon.views.steps.policy_step import PolicyStep
from supcon.views.steps.step import AnyStep

_TRANSLATION = 100 / 224
"""The TF models' RandAugment moves by up to 100 pixels of 224."""

_NOT_IN_TORCHVISION = ("solarize-add", "invert", "cutout")


class RandAugment(Augmentation):
    """`layers` operations in a row, each drawn evenly from all; no crop, no flip.

    The "authors" operations are the sixteen of the TF models (tf-models-official 2.20.0, which the authors' code
    imports) and doing nothing; their magnitude counts to 10, and the image is mirrored where a move uncovers pixels.
    The "torchvision" ones (0.29) are its fourteen, counted to 30, on black.

    >>> import torch
    >>> images = torch.zeros(4, 3, 32, 32, dtype=torch.uint8)
    >>> RandAugment(layers=2, magnitude=9)(images, generator=torch.Generator().manual_seed(0)).shape
    torch.Size([4, 3, 32, 32])
    """

    def __init__(self, layers: int = 2, magnitude: float = 9, *, operations: OperationSet = "authors") -> None:
        check_rand_augment(layers, magnitude, operations)
        policy = [((operation, 1.0),) for operation in rand_augment_operations(magnitude, operations)]
        self._step = PolicyStep(policy, operations, layers)

    @property
    def steps(self) -> tuple[AnyStep, ...]:
        """All layers are one step."""
        return (self._step,)


def rand_augment_operations(magnitude: float, operations: OperationSet) -> list[Operation]:
    """What a layer draws from."""
    if operations == "authors":
        return [authors_operation(name, magnitude, _TRANSLATION) for name in NAMES]
    share = magnitude / LARGEST_MAGNITUDE["torchvision"]
    names: list[OperationName] = [name for name in NAMES if name not in _NOT_IN_TORCHVISION]
    return [torchvision_operation(name, share) for name in names]

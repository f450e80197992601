"""Steps of several augmentations, one after the other."""

from collections.abc import Sequence

from supcon.views.augmentation import Augmentation
from supcon.views.steps.step import AnyStep


class Chain(Augmentation):
    """Does the given steps in their order."""

    def __init__(self, steps: Sequence[AnyStep]) -> None:
        self._steps = tuple(steps)

    @property
    def steps(self) -> tuple[AnyStep, ...]:
        """What was given."""
        return self._steps

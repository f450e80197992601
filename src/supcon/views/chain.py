"""An augmentation from a list of steps."""

from collections.abc import Sequence

from supcon.views.augmentation import Augmentation
from supcon.views.steps.step import AnyStep


class Chain(Augmentation):
    """Applies the given steps in order."""

    def __init__(self, steps: Sequence[AnyStep]) -> None:
        self._steps = tuple(steps)
        self._shown = {"steps": [type(step).__name__ for step in steps]}

    @property
    def steps(self) -> tuple[AnyStep, ...]:
        """The given steps."""
        return self._steps

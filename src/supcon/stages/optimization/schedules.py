"""The learning-rate schedule: a linear warm-up, then cosine, exponential, step or constant."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR

from supcon.stages.optimization.optimizer_config import ScheduleName


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """The factor on the learning rate at every step of `total_steps`.

    >>> schedule = Schedule(total_steps=6, steps_per_epoch=2, warmup_epochs=1)
    >>> [round(schedule(step), 3) for step in range(6)]
    [0.0, 0.5, 1.0, 0.854, 0.5, 0.146]
    """

    total_steps: int
    steps_per_epoch: float
    name: ScheduleName = "cosine"
    warmup_epochs: float = 0.0
    end: float = 0.0
    decay_rate: float = 0.97
    decay_every: float = 0.5
    decay_at: Sequence[float] = ()

    @property
    def warmup_steps(self) -> float:
        """At most half of the run, so that a run shortened for a trial still reaches its full learning rate."""
        return min(self.warmup_epochs * self.steps_per_epoch, self.total_steps / 2)

    def __call__(self, step: int) -> float:
        since = step - self.warmup_steps
        if since < 0:
            return step / self.warmup_steps
        if self.name == "cosine":
            angle = math.pi * since / max(self.total_steps - self.warmup_steps, 1)
            return self.end + (1 - self.end) * (1 + math.cos(angle)) / 2
        if self.name == "exponential":
            return self.decay_rate ** _whole(since / (self.decay_every * self.steps_per_epoch))
        if self.name == "step":
            return self.decay_rate ** sum(step >= epoch * self.steps_per_epoch for epoch in self.decay_at)
        return 1.0


def _whole(number: float) -> int:
    """Rounds down, with a tolerance for rounding errors: (a - b) / c may be just below an integer."""
    return math.floor(number + 1e-9)


def make_schedule(optimizer: Optimizer, schedule: Schedule) -> LambdaLR:
    """The torch scheduler, to be stepped once per batch."""
    return LambdaLR(optimizer, lambda step: schedule(step))

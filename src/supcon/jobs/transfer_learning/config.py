"""Settings of transfer learning by SimCLR's protocol (Chen et al., 2020, B.8), which the paper follows.

Imports no torch.
"""

from dataclasses import asdict, dataclass
from typing import Literal

from supcon.base.errors import RequestError

Protocol = Literal["fine-tune", "linear"]
Grid = Literal["paper", "small"]
_FEWEST_AT_ONCE = 4
"""Batch norm needs two images or more, also in the smallest of several nearly equal parts."""
_MOST = 1_000_000_000
"""Steps, and images of a step."""


@dataclass(frozen=True)
class Candidate:
    """Hyperparameters that are chosen on validation images."""

    lr: float = 0.0
    """Learning rate; fine-tuning only."""
    weight_decay: float = 0.0
    """Fine-tuning: divided by the learning rate before use, as in SimCLR. Linear: the L2 penalty on the weights."""

    @property
    def title(self) -> str:
        decay = f"{self.weight_decay:.3g}"
        return f"lr {self.lr:.3g}, weight decay {decay}" if self.lr else f"penalty {decay}"


@dataclass(frozen=True, kw_only=True)
class TransferConfig:
    """A protocol and its settings."""

    protocol: Protocol = "fine-tune"
    """`fine-tune` trains encoder and classifier; `linear` fits logistic regression on the frozen representations."""

    steps: int = 20_000
    """Steps of each fine-tuning (B.8)."""

    batch_size: int = 256
    """Images per step of fine-tuning (B.8)."""

    micro_batch: int | None = None
    """Images that go through the network at once in fine-tuning; none: the whole batch, or as many as fit into memory.
    The gradient is that of the whole batch, except that batch norm uses the statistics of each micro-batch."""

    image_size: int | None = None
    """Side of the square input in pixels; none: that of the run."""

    grid: Grid = "paper"
    """`paper`: 7 learning rates x 8 weight decays, or 45 penalties (B.8); `small`: 3 rates, or 7 penalties (ours)."""

    crop_area: tuple[float, float] = (0.08, 1.0)
    """Range of the share of the image in a random crop; B.8 gives none, so this is that of SimCLR's pretraining."""

    flip_probability: float = 0.5
    """Probability of a horizontal flip; use 0 if mirroring changes the class."""

    def __post_init__(self) -> None:
        if self.steps < 1 or self.batch_size < 2:
            raise RequestError(
                f"--steps must be at least 1 and --batch-size at least 2, got {self.steps} and {self.batch_size}."
            )
        if max(self.steps, self.batch_size) > _MOST:
            raise RequestError(
                f"--steps and --batch-size must be at most {_MOST:,}, got {self.steps:,} and {self.batch_size:,}."
            )
        if self.micro_batch is not None and self.micro_batch < _FEWEST_AT_ONCE:
            raise RequestError(f"--micro-batch must be at least {_FEWEST_AT_ONCE}, got {self.micro_batch}.")
        if self.image_size is not None and self.image_size < 4:
            raise RequestError(f"--image-size must be at least 4 pixels, got {self.image_size}.")
        if not 0 < self.crop_area[0] <= self.crop_area[1] <= 1:
            raise RequestError(f"--smallest-crop must be above 0 and at most 1, got {self.crop_area[0]}.")
        if not 0 <= self.flip_probability <= 1:
            raise RequestError(f"--flip-probability must be between 0 and 1, got {self.flip_probability}.")

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The hyperparameters to choose from, in the order in which they are tried."""
        if self.protocol == "linear":
            # Strong penalties first: each fit starts from the solution for the previous, similar penalty.
            return tuple(Candidate(0.0, 10**power) for power in _spaced(5, -6, 45 if self.grid == "paper" else 7))
        if self.grid == "small":
            return tuple(Candidate(lr) for lr in (0.1, 0.01, 0.001))
        rates = [10**power for power in _spaced(-1, -4, 7)]
        decays = [0.0, *(10**power for power in _spaced(-6, -3, 7))]
        return tuple(Candidate(lr, decay) for lr in rates for decay in decays)

    @property
    def summary(self) -> str:
        """Description of the protocol, shown with the results."""
        grid = f"{len(self.candidates)} candidates on validation images"
        size = f", images of {self.image_size} pixels" if self.image_size else ""
        if self.protocol == "linear":
            return grid + size
        parts = f" ({self.micro_batch} at a time)" if self.micro_batch else ""
        return f"{self.steps:,} steps of {self.batch_size}{parts}, {grid}{size}"

    @property
    def settings(self) -> dict[str, object]:
        """All values, by which stored validation scores are recognized; without optional ones that are not set."""
        values: dict[str, object] = {**asdict(self), "crop_area": list(self.crop_area)}
        return {name: value for name, value in values.items() if value is not None}


def _spaced(first: float, last: float, count: int) -> list[float]:
    return [first + (last - first) * place / (count - 1) for place in range(count)]

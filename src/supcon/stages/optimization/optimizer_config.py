"""Settings of the optimizer and its learning-rate schedule.

TF is the authors' TensorFlow code (google-research/supcon), SC their PyTorch code for CIFAR (HobbitLong/SupContrast).
"""

from dataclasses import dataclass
from typing import Literal

from supcon.base.errors import RequestError

OptimizerName = Literal["lars", "rmsprop", "sgd", "adamw"]
LearningRateRule = Literal["absolute", "batch"]
ScheduleName = Literal["cosine", "exponential", "step", "constant"]

Decayed = Literal["weights", "weights-and-biases", "all"]
"""Matrices and kernels only; also biases, but not the parameters of norms; all parameters."""


@dataclass(frozen=True, kw_only=True)
class OptimizerConfig:
    """An optimizer, its learning-rate schedule, gradient clipping and weight averaging.

    Options of other optimizers and schedules than the chosen one are unused; `supcon train` reports them if set.
    """

    name: OptimizerName = "sgd"
    """`lars` is best for the paper's stage 1, `rmsprop` for its stage 2 (Supp. Sec. 10.1), `sgd` for CIFAR and
    cross-entropy (Sec. 4.5); `adamw` is our addition."""

    lr: float = 0.1
    """Learning rate after warm-up."""

    lr_rule: LearningRateRule = "absolute"
    """`batch`: the learning rate is `lr` times the batch size / 256, the rule of TF."""

    momentum: float = 0.9
    """Momentum of `lars`, `rmsprop` and `sgd` (TF, SC); `adamw` uses its defaults."""

    nesterov: bool = False
    """Nesterov momentum, for `sgd` (TF for cross-entropy)."""

    weight_decay: float = 1e-4
    """Weight decay of the parameters that `decayed` names: added to the gradient, decoupled for `adamw`."""

    decayed: Decayed = "weights"
    """Parameters with weight decay: `weights` excludes biases and norms, `weights-and-biases` excludes norms (TF),
    `all` excludes none (SC). `lars` adapts the rate of these parameters only, as TF does."""

    lars_trust: float = 0.001
    """The factor eta before |w| / |g| (TF)."""

    rmsprop_rho: float = 0.9
    """Decay of the running mean square (TF)."""

    rmsprop_epsilon: float = 1e-3
    """Added to the mean square inside the square root (TF, stage 2; its stage 1 uses 1)."""

    warmup_epochs: float = 0.0
    """Epochs over which the learning rate rises from zero, at most half of the run (TF: 12, SC: 10)."""

    schedule: ScheduleName = "cosine"
    """After the warm-up: half a `cosine` to the last step; `exponential`, which multiplies by `decay_rate` every
    `decay_every` epochs; `step`, which multiplies by it at the epochs `decay_at` of the stage; `constant`."""

    lr_end: float = 0.0
    """Final value of the cosine, as a fraction of `lr` (TF: 0, SC: 0.001)."""

    decay_rate: float = 0.97
    """Factor of `exponential` and `step` (TF, stage 2 on ImageNet: 0.97; SC, stage 2: 0.2)."""

    decay_every: float = 0.5
    """Epochs between two steps of `exponential` (TF, stage 2 on ImageNet)."""

    decay_at: tuple[float, ...] = ()
    """Epochs at which `step` multiplies (SC, stage 2: 60, 75, 90)."""

    clip_norm: float | None = None
    """Gradients with a larger norm, over all parameters, are scaled down to it; none: no clipping."""

    ema_decay: float = 0.0
    """Above 0: an exponential moving average of the weights with this decay, such as 0.999, is evaluated, saved and
    used by the next stage; 0: the last weights."""

    def __post_init__(self) -> None:
        if not self.lr > 0:
            raise RequestError(f"The learning rate must be above 0, got {self.lr}.")
        if not 0 <= self.momentum < 1:
            raise RequestError(f"The momentum must be at least 0 and below 1, got {self.momentum}.")
        if self.nesterov and (self.name != "sgd" or self.momentum == 0):
            raise RequestError(
                f"optimizer.nesterov needs the optimizer sgd with a momentum above 0, got {self.name} with "
                f"{self.momentum}; leave it out."
            )
        if self.weight_decay < 0 or self.warmup_epochs < 0:
            raise RequestError("weight_decay and warmup_epochs must not be negative.")
        self._check_shares()
        self._check_schedule()

    def _check_shares(self) -> None:
        for name in ("lr_end", "ema_decay", "rmsprop_rho"):
            if not 0 <= getattr(self, name) < 1:
                raise RequestError(f"optimizer.{name} must be at least 0 and below 1, got {getattr(self, name)}.")
        for name in ("lars_trust", "rmsprop_epsilon", "decay_every"):
            if not getattr(self, name) > 0:
                raise RequestError(f"optimizer.{name} must be above 0, got {getattr(self, name)}.")
        if self.clip_norm is not None and not self.clip_norm > 0:
            raise RequestError(f"optimizer.clip_norm must be above 0, or none for no clipping, got {self.clip_norm}.")

    def _check_schedule(self) -> None:
        if not 0 < self.decay_rate <= 1:
            raise RequestError(f"optimizer.decay_rate must be above 0 and at most 1, got {self.decay_rate}.")
        if any(epoch <= 0 for epoch in self.decay_at) or list(self.decay_at) != sorted(set(self.decay_at)):
            raise RequestError(f"optimizer.decay_at must be increasing epochs above 0, got {list(self.decay_at)}.")
        if self.schedule == "step" and not self.decay_at:
            raise RequestError("The schedule step needs the epochs in optimizer.decay_at, such as [60,75,90].")

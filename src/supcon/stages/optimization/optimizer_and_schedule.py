"""The optimizer and the learning-rate schedule of a stage, from its `OptimizerConfig`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from supcon.stages.optimization.optimizer_config import OptimizerConfig
from supcon.stages.optimization.optimizers import make_optimizer
from supcon.stages.optimization.parameter_rates import set_module_lr
from supcon.stages.optimization.schedules import Schedule, make_schedule

OwnRates = dict[nn.Module, OptimizerConfig]
"""Modules with a learning rate and weight decay of their own."""


@dataclass(frozen=True)
class Optimization:
    """Builds one optimizer and one schedule, once Lightning knows the number of steps."""

    config: OptimizerConfig
    epochs: int
    batch_size: int
    """Images per step, over all processes."""
    own_rates: Mapping[nn.Module, OptimizerConfig] = field(default_factory=OwnRates)

    def configure(self, modules: Sequence[nn.Module], total_steps: int) -> dict[str, Any]:
        """The return value for a LightningModule's `configure_optimizers`."""
        config = self.config
        optimizer = make_optimizer(
            modules,
            config.name,
            self._rate(config),
            momentum=config.momentum,
            nesterov=config.nesterov,
            weight_decay=config.weight_decay,
            decayed=config.decayed,
            lars_trust=config.lars_trust,
            rmsprop_rho=config.rmsprop_rho,
            rmsprop_epsilon=config.rmsprop_epsilon,
        )
        for module, own in self.own_rates.items():
            set_module_lr(optimizer, module, self._rate(own), own.weight_decay)
        scheduler = {"scheduler": make_schedule(optimizer, self.schedule(total_steps)), "interval": "step"}
        return {"optimizer": optimizer, "lr_scheduler": scheduler}

    def schedule(self, total_steps: int) -> Schedule:
        """The factors on the learning rate, in a run of that many steps."""
        config = self.config
        return Schedule(
            total_steps=total_steps,
            steps_per_epoch=total_steps / self.epochs,
            name=config.schedule,
            warmup_epochs=config.warmup_epochs,
            end=config.lr_end,
            decay_rate=config.decay_rate,
            decay_every=config.decay_every,
            decay_at=config.decay_at,
        )

    def _rate(self, config: OptimizerConfig) -> float:
        return config.lr * self.batch_size / 256 if config.lr_rule == "batch" else config.lr

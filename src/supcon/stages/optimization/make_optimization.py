"""How a stage moves its weights, put together from its `OptimizerConfig`."""

from collections.abc import Mapping, Sequence
from typing import Any

from lightning import Callback
from torch import nn

from supcon.stages.callbacks.training_progress import Probe, ProbeEncoder
from supcon.stages.optimization.clip_gradients import ClipGradients
from supcon.stages.optimization.optimizer_config import OptimizerConfig
from supcon.stages.optimization.optimizers import make_optimizer
from supcon.stages.optimization.parameter_rates import give_own_rate
from supcon.stages.optimization.schedules import Schedule, make_schedule
from supcon.stages.optimization.weight_average import WeightAverage
from supcon.stages.pretrain import Optimization

Rates = Mapping[nn.Module, OptimizerConfig]
"""Modules whose learning rate and weight decay are not those of the rest."""


def optimization(config: OptimizerConfig, epochs: int, batch_size: int, own_rates: Rates | None = None) -> Optimization:
    """One optimizer and one schedule, made when Lightning knows how many steps there are.

    `batch_size` is that of all processes together. Modules in `own_rates` have learning rate and weight decay of their
    own.
    """

    def configure(modules: Sequence[nn.Module], total_steps: int) -> dict[str, Any]:
        optimizer = make_optimizer(
            modules,
            config.name,
            _rate(config, batch_size),
            momentum=config.momentum,
            nesterov=config.nesterov,
            weight_decay=config.weight_decay,
            decayed=config.decayed,
            lars_trust=config.lars_trust,
            rmsprop_rho=config.rmsprop_rho,
            rmsprop_epsilon=config.rmsprop_epsilon,
        )
        for module, own in (own_rates or {}).items():
            give_own_rate(optimizer, module, _rate(own, batch_size), own.weight_decay)
        schedule = Schedule(
            total_steps=total_steps,
            steps_per_epoch=total_steps / epochs,
            name=config.schedule,
            warmup_epochs=config.warmup_epochs,
            end=config.lr_end,
            decay_rate=config.decay_rate,
            decay_every=config.decay_every,
            decay_at=config.decay_at,
        )
        scheduler = {"scheduler": make_schedule(optimizer, schedule), "interval": "step"}
        return {"optimizer": optimizer, "lr_scheduler": scheduler}

    return configure


def _rate(config: OptimizerConfig, batch_size: int) -> float:
    return config.lr * batch_size / 256 if config.lr_rule == "batch" else config.lr


def around_steps(
    config: OptimizerConfig, deployed: Sequence[nn.Module], probe: Probe | None = None, every: int = 0
) -> list[Callback]:
    """What happens to gradients before a step and to weights after it, and the measurement of those weights."""
    average = WeightAverage(deployed, config.ema_decay) if config.ema_decay > 0 else None
    callbacks: list[Callback] = [average] if average is not None else []
    if config.clip_norm is not None:
        callbacks.append(ClipGradients(config.clip_norm))
    if probe is not None:
        callbacks.append(ProbeEncoder(probe if average is None else average.probing(probe), every))
    return callbacks

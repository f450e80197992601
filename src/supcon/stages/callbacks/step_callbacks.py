"""The callbacks for weight averaging and for measuring the encoder."""

from collections.abc import Sequence

from lightning import Callback
from torch import nn

from supcon.stages.callbacks.probe_encoder import Probe, ProbeEncoder
from supcon.stages.callbacks.weight_average import WeightAverage
from supcon.stages.optimization.optimizer_config import OptimizerConfig


def step_callbacks(
    config: OptimizerConfig, deployed: Sequence[nn.Module], probe: Probe | None = None, every: int = 0
) -> list[Callback]:
    """The moving average of the `deployed` modules' weights, if configured, and the probe, which then measures it."""
    average = WeightAverage(deployed, config.ema_decay) if config.ema_decay > 0 else None
    callbacks: list[Callback] = [average] if average is not None else []
    if probe is not None:
        callbacks.append(ProbeEncoder(probe if average is None else average.probing(probe), every))
    return callbacks

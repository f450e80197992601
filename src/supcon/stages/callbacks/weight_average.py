"""An exponential moving average of the weights, which is evaluated and saved instead of the last weights."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from lightning import Callback, LightningModule, Trainer
from torch import Tensor, nn

from supcon.stages.callbacks.probe_encoder import Probe


class WeightAverage(Callback):
    """After every step, average = decay * average + (1 - decay) * weights, batch-norm averages included.

    The decay after n steps is min(decay, (1 + n) / (10 + n)), as in TensorFlow's moving average, so that the random
    initial weights lose their influence quickly. Training uses the weights themselves; `modules` get the average at the
    end of the stage, also if a resumed stage was finished already. The average is part of a checkpoint.

    Lightning's `EMAWeightAveraging` is not used: it copies the whole LightningModule, including the queue and the
    momentum encoder, has a constant decay, and offers no access to the average for the probe during training.
    """

    def __init__(self, modules: Sequence[nn.Module], decay: float) -> None:
        self.modules, self.decay = nn.ModuleList(modules), decay
        self.average: dict[str, Tensor] = {}
        self.steps = 0

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self.average = {name: value.to(pl_module.device) for name, value in self.average.items()}

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        if trainer.global_step > self.steps:
            self.update()

    @torch.no_grad()
    def update(self) -> None:
        """Updates the average with the current weights."""
        decay = min(self.decay, (1 + self.steps) / (10 + self.steps))
        for name, value in self.modules.state_dict().items():
            if name not in self.average or not value.is_floating_point():
                self.average[name] = value.clone()
            else:
                self.average[name].lerp_(value, 1 - decay)
        self.steps += 1

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Replaces the weights of `modules` by their average within the block."""
        weights = {name: value.clone() for name, value in self.modules.state_dict().items()}
        self._put(self.average)
        try:
            yield
        finally:
            self._put(weights)

    def probing(self, probe: Probe) -> Probe:
        """A probe that measures the average instead of the weights."""

        def measure(encode: Callable[[Tensor], Tensor]) -> Mapping[str, float]:
            with self.in_place():
                return probe(encode)

        return measure

    def teardown(self, trainer: Trainer, pl_module: LightningModule, stage: str) -> None:
        self._put(self.average)

    def state_dict(self) -> dict[str, Any]:
        return {"steps": self.steps, "average": self.average}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.steps, self.average = state_dict["steps"], state_dict["average"]

    @torch.no_grad()
    def _put(self, values: Mapping[str, Tensor]) -> None:
        current = self.modules.state_dict()
        for name, value in values.items():
            current[name].copy_(value)

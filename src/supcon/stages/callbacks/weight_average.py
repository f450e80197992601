"""A moving average of the weights, to evaluate and keep instead of the last ones."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from lightning import Callback, LightningModule, Trainer
from torch import Tensor, nn

from supcon.stages.callbacks.probe_encoder import Probe


class WeightAverage(Callback):
    """After every step, average = decay * average + (1 - decay) * weights, batch-norm averages included.

    The decay rises to its value as min(decay, (1 + n) / (10 + n)) after n steps, as TensorFlow's moving average does,
    so that the random start is soon forgotten. Training goes on with the weights themselves; `modules` get the average
    when the stage is over, also where a resumed stage was over already. The average is part of a checkpoint.

    Lightning's `EMAWeightAveraging` is not used: it copies the whole LightningModule, so the queue and the momentum
    encoder as well, has no rising decay, and cannot be probed while training goes on.
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
        """Takes in the weights as they are now."""
        decay = min(self.decay, (1 + self.steps) / (10 + self.steps))
        for name, value in self.modules.state_dict().items():
            if name not in self.average or not value.is_floating_point():
                self.average[name] = value.clone()
            else:
                self.average[name].lerp_(value, 1 - decay)
        self.steps += 1

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """The average stands where the weights stand."""
        weights = {name: value.clone() for name, value in self.modules.state_dict().items()}
        self._put(self.average)
        try:
            yield
        finally:
            self._put(weights)

    def probing(self, probe: Probe) -> Probe:
        """`probe` of the average."""

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

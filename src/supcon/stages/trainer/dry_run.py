"""Dry run: two steps of each stage, to estimate the time and memory of a run before it is started."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from lightning import Callback, LightningModule, Trainer
from torch import Tensor
from torch.utils.data import DataLoader

from supcon.base.memory import peak_memory
from supcon.data import Split
from supcon.encoder import Encoder
from supcon.stages.trainer.fit import make_trainer, run_trainer

_STEPS = 2
"""The first one warms up, the second one is timed."""
_ENCODED = 128
"""Images that are encoded instead of a whole split."""


@dataclass(frozen=True, kw_only=True)
class StageEstimate:
    """Estimated time and memory of one stage."""

    name: str
    epochs: int
    epoch_steps: int
    step_seconds: float
    first_seconds: float = 0.0
    """Time before the first step: for encoding all images, if stage 2 is cached."""
    memory: float
    """Peak memory in GB: of the tensors on a GPU, otherwise of the whole process."""

    @property
    def epoch_seconds(self) -> float:
        return self.epoch_steps * self.step_seconds

    @property
    def seconds(self) -> float:
        return self.first_seconds + self.epochs * self.epoch_seconds


class DryRun:
    """Replaces `fit`: everything is built and runs for two steps, nothing is written."""

    def __init__(self) -> None:
        self.stages: list[StageEstimate] = []
        self.encoding = 0.0

    def encode_split(self, encode: Callable[[Encoder, Split], Tensor], encoder: Encoder, split: Split) -> Tensor:
        """Replaces encoding a whole split: encodes a small batch twice, times the second, and repeats its rows."""
        few = split.pick(slice(_ENCODED))
        encode(encoder, few)
        start = time.perf_counter()
        rows = encode(encoder, few)
        self.encoding = (time.perf_counter() - start) * len(split) / len(few)
        return rows[torch.arange(len(split)) % len(rows)]

    def fit(
        self,
        stage: LightningModule,
        loader: "DataLoader[Any]",
        folder: Path,
        *,
        epochs: int,
        machine: Mapping[str, Any],
        **left_out: Any,
    ) -> None:
        """Takes the arguments of `fit`; ignores callbacks and loggers."""
        del left_out
        clock = _Clock()
        trainer = make_trainer(**machine, max_steps=_STEPS, logger=False, callbacks=[clock], enable_checkpointing=False)
        run_trainer(trainer, stage, loader)
        estimate = StageEstimate(
            name=folder.name,
            epochs=epochs,
            epoch_steps=len(loader),
            first_seconds=self.encoding,
            step_seconds=clock.ends[-1] - clock.ends[-2],
            memory=_peak_memory(),
        )
        self.stages.append(estimate)
        self.encoding = 0.0


class _Clock(Callback):
    """Records the end time of each step; the time between two ends includes the loading of images."""

    def __init__(self) -> None:
        self.ends: list[float] = []

    def on_train_batch_end(
        self, trainer: Trainer, pl_module: LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        del trainer, outputs, batch, batch_idx
        if pl_module.device.type == "cuda":
            torch.cuda.synchronize(pl_module.device)
        self.ends.append(time.perf_counter())


def _peak_memory() -> float:
    if torch.cuda.is_initialized():
        return torch.cuda.max_memory_allocated() / 1e9
    return peak_memory() / 1e9

"""Runs one stage with Lightning: the trainer, its files and its callbacks."""

import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lightning import Callback, LightningModule, Trainer
from lightning.pytorch.loggers import Logger
from torch.utils.data import DataLoader

from supcon.base.errors import RequestError, WorkError, disk_errors
from supcon.base.processes import is_first_process
from supcon.stages.callbacks.metrics_file import MetricsFile
from supcon.stages.trainer.checkpoints import AtomicCheckpointIO, keep_last, last_checkpoint
from supcon.stages.trainer.ddp import WatchChildren, stop_all_on_error
from supcon.stages.trainer.out_of_memory import explain_out_of_memory
from supcon.stages.trainer.same_data import SameData


def fit(
    stage: LightningModule,
    loader: "DataLoader[Any]",
    folder: Path,
    *,
    epochs: int,
    clip_norm: float | None = None,
    callbacks: Sequence[Callback] = (),
    watchers: Sequence[Callback] = (),
    loggers: Sequence[Logger] = (),
    machine: Mapping[str, Any],
) -> None:
    """Trains `stage` for `epochs`, from the last checkpoint in `folder` if there is one.

    `watchers` are callbacks that find every finished epoch in `metrics.csv`. Gradients whose norm over all parameters
    is above `clip_norm` are scaled down to it. `machine` holds the Trainer's hardware options.
    """
    if is_first_process():
        with disk_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
    checkpoint = last_checkpoint(folder)
    done = checkpoint.epochs if checkpoint else 0
    # Lightning sets the epoch too, but only after the loader's workers have started on their first batches.
    loader.sampler.set_epoch(done)  # type: ignore[attr-defined]
    trainer = make_trainer(
        **{**machine, "plugins": [*machine.get("plugins", []), AtomicCheckpointIO()]},
        max_epochs=epochs,
        gradient_clip_val=clip_norm,
        logger=list(loggers) or False,
        callbacks=[
            WatchChildren(),
            SameData(loader),
            *callbacks,
            MetricsFile(folder / "metrics.csv", done),
            *watchers,
            keep_last(folder),
        ],
    )
    run_trainer(trainer, stage, loader, checkpoint.path if checkpoint else None)


def make_trainer(**options: Any) -> Trainer:
    """Lightning's Trainer without its own progress bar, model summary and sampler, which supcon replaces."""
    _quiet_lightning()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*GPU available but not used.*")  # the CPU was asked for
        return Trainer(
            **options,
            enable_progress_bar=False,
            enable_model_summary=False,
            use_distributed_sampler=False,  # Lightning's would pad by repeating images
        )


def run_trainer(
    trainer: Trainer, stage: LightningModule, loader: "DataLoader[Any]", checkpoint: Path | None = None
) -> None:
    """Lightning's `fit` without irrelevant warnings; an error in one process stops all."""
    with warnings.catch_warnings():
        # The loader slices tensors in memory: workers would only add copies.
        warnings.filterwarnings("ignore", ".*does not have many workers.*")
        warnings.filterwarnings("ignore", ".*LeafSpec.*is deprecated.*")  # Lightning's own use of torch
        warnings.filterwarnings("ignore", ".*exists and is not empty.*")  # expected when resuming
        warnings.filterwarnings("ignore", ".*logging interval.*")  # metrics are logged per epoch
        warnings.filterwarnings("ignore", ".*recommended to use.*sync_dist.*")  # values that only the first process has
        warnings.filterwarnings("ignore", ".*in eval mode at the start of training.*")  # frozen batch norms
        try:
            with explain_out_of_memory(stage, trainer), stop_all_on_error(trainer), _fitting(trainer, checkpoint):
                trainer.fit(stage, loader, ckpt_path=checkpoint, weights_only=True)
        except SystemExit as stopped:  # raised by Lightning on Ctrl-C
            raise KeyboardInterrupt(*getattr(stopped.__context__, "args", ())) from stopped


@contextmanager
def _fitting(trainer: Trainer, checkpoint: Path | None) -> Iterator[None]:
    """Turns what Lightning raises for the checkpoint of another run into one sentence."""
    before = _Started()
    trainer.callbacks.append(before)  # type: ignore[attr-defined]
    try:
        yield
    except (RuntimeError, KeyError, ValueError, TypeError, AttributeError, IndexError) as error:
        if checkpoint is None or before.training or isinstance(error, RequestError | WorkError):
            raise
        raise WorkError(
            f"{checkpoint} is not a checkpoint of this stage; delete {checkpoint.parent} to train it from the start."
        ) from error


class _Started(Callback):
    """Knows whether training has begun, which is after the checkpoint was loaded."""

    training = False

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self.training = True


def _quiet_lightning() -> None:
    """Hides Lightning's info messages (devices, tips); its warnings are still shown."""
    for name in (
        "lightning.pytorch.utilities.rank_zero",
        "lightning.pytorch.accelerators.cuda",
        "lightning.fabric.utilities.distributed",
    ):
        logging.getLogger(name).setLevel(logging.WARNING)

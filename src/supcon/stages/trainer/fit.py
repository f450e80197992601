"""Runs one stage with Lightning: the trainer, its files and its callbacks."""

import logging
import pickle
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from lightning import Callback, LightningModule, Trainer
from lightning.pytorch.loggers import Logger
from torch.utils.data import DataLoader

from supcon.base.errors import WorkError, disk_errors
from supcon.base.processes import is_first_process
from supcon.stages.callbacks.metrics_file import MetricsFile
from supcon.stages.trainer.checkpoints import AtomicCheckpointIO, keep_last, last_checkpoint
from supcon.stages.trainer.ddp import stop_all_on_error
from supcon.stages.trainer.out_of_memory import explain_out_of_memory


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
    done = _epochs_done(checkpoint)
    # Lightning sets the epoch too, but only after the loader's workers have started on their first batches.
    loader.sampler.set_epoch(done)  # type: ignore[attr-defined]
    trainer = make_trainer(
        **machine,
        max_epochs=epochs,
        gradient_clip_val=clip_norm,
        logger=list(loggers) or False,
        callbacks=[*callbacks, MetricsFile(folder / "metrics.csv", done), *watchers, keep_last(folder)],
        plugins=[AtomicCheckpointIO()],
    )
    run_trainer(trainer, stage, loader, checkpoint)


def make_trainer(**options: Any) -> Trainer:
    """Lightning's Trainer without its own progress bar, model summary and sampler, which supcon replaces."""
    _quiet_lightning()
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
        try:
            with explain_out_of_memory(stage), stop_all_on_error(trainer):
                trainer.fit(stage, loader, ckpt_path=checkpoint, weights_only=True)
        except SystemExit as stopped:  # raised by Lightning on Ctrl-C
            raise KeyboardInterrupt from stopped


def _epochs_done(checkpoint: Path | None) -> int:
    if checkpoint is None:
        return 0
    try:
        return int(torch.load(checkpoint, map_location="cpu", weights_only=True)["epoch"]) + 1
    except (pickle.UnpicklingError, RuntimeError, EOFError, KeyError) as error:
        raise WorkError(f"{checkpoint} cannot be read; delete it to train this stage from the start.") from error


def _quiet_lightning() -> None:
    """Hides Lightning's info messages (devices, tips); its warnings are still shown."""
    for name in (
        "lightning.pytorch.utilities.rank_zero",
        "lightning.pytorch.accelerators.cuda",
        "lightning.fabric.utilities.distributed",
    ):
        logging.getLogger(name).setLevel(logging.WARNING)

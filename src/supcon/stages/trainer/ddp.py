"""Many processes and machines: what Lightning is told, what is refused, and how an error in one of them ends all."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from lightning import Trainer

from supcon.base.errors import OtherProcessError, RequestError
from supcon.stages.config import HardwareConfig

_LOST = ("Connection closed by peer", "Connection reset by peer", "Broken pipe", "Timed out waiting")
"""What gloo says when the other end of a connection is gone; NCCL has an error type of its own."""


def trainer_options(hardware: HardwareConfig) -> dict[str, Any]:
    """What Lightning's Trainer is told of the machine."""
    many = hardware.devices * hardware.num_nodes > 1
    return {
        "accelerator": hardware.device,
        "devices": hardware.devices,
        "num_nodes": hardware.num_nodes,
        "precision": hardware.precision,
        "strategy": "ddp" if many else "auto",
        # torch's synchronised batch norm exists on GPUs only.
        "sync_batchnorm": many and on_gpu(hardware),
    }


def on_gpu(hardware: HardwareConfig) -> bool:
    """Whether a GPU will be used."""
    return hardware.device == "gpu" or (hardware.device == "auto" and torch.cuda.is_available())


def check_hardware(hardware: HardwareConfig) -> None:
    """Refuses what this machine or this launch does not have, before anything is written."""
    if on_gpu(hardware) and hardware.devices > torch.cuda.device_count():
        raise RequestError(
            f"{hardware.devices} GPUs were asked for and this machine has {torch.cuda.device_count()}; "
            "lower --devices or use --device cpu."
        )
    if hardware.precision == "16-mixed" and not on_gpu(hardware):
        raise RequestError("16-mixed needs a GPU; on a CPU use --precision bf16-mixed.")
    asked = hardware.devices * hardware.num_nodes
    started = int(os.environ["WORLD_SIZE"]) if "TORCHELASTIC_RUN_ID" in os.environ else asked
    if asked != started:
        raise RequestError(
            f"torchrun started {started} processes and --devices {hardware.devices} times --num-nodes "
            f"{hardware.num_nodes} is {asked}; make them equal."
        )


@contextmanager
def ending_together(trainer: Trainer) -> Iterator[None]:
    """An error in one process ends all of them, and only the one that has a reason says so."""
    try:
        yield
    except BaseException as error:
        _end_others(trainer)
        if _is_lost_connection(error):
            raise OtherProcessError("Another process of this run has ended; what it said stands above.") from error
        raise


def _is_lost_connection(error: BaseException) -> bool:
    if isinstance(error, torch.distributed.DistBackendError):
        return True
    return isinstance(error, RuntimeError) and any(words in str(error) for words in _LOST)


def _end_others(trainer: Trainer) -> None:
    # They may be waiting in an exchange, where nothing gentler reaches them.
    for process in getattr(trainer.strategy.launcher, "procs", []):
        process.send_signal(signal.SIGKILL)

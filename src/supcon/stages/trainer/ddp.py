"""Several processes and machines: the Trainer's options, checks, and stopping all processes on an error in one."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from lightning import Callback, LightningModule, Trainer
from lightning.fabric.plugins.environments.cluster_environment import ClusterEnvironment
from lightning.fabric.plugins.environments.lightning import LightningEnvironment

from supcon.base.errors import OtherProcessError, RequestError
from supcon.base.processes import is_first_process, number_of, started_by_srun
from supcon.stages.config import HardwareConfig
from supcon.stages.trainer.child_processes import OTHER_STOPPED, watch
from supcon.stages.trainer.synced_norms import SyncedNorms

_LOST = ("Connection closed by peer", "Connection reset by peer", "Broken pipe", "Timed out waiting")
"""Parts of gloo's messages for a lost connection; NCCL has its own error type."""


def trainer_options(hardware: HardwareConfig) -> dict[str, Any]:
    """The hardware options of Lightning's Trainer."""
    many = hardware.devices * hardware.num_nodes > 1
    return {
        # Not "auto", with which Lightning would choose Apple's GPU: everything else here knows only CUDA.
        "accelerator": "cuda" if on_gpu(hardware) else "cpu",
        "devices": hardware.devices,
        "num_nodes": hardware.num_nodes,
        "precision": hardware.precision,
        "strategy": "ddp" if many else "auto",
        # torch's SyncBatchNorm supports GPUs only.
        "plugins": [*_cluster(many), *([SyncedNorms()] if many and on_gpu(hardware) else [])],
    }


def _cluster(many: bool) -> list[ClusterEnvironment]:
    """Keeps Lightning from taking a shell inside a SLURM job, where SLURM_NTASKS is set, for processes of srun."""
    launched = "TORCHELASTIC_RUN_ID" in os.environ or started_by_srun()
    return [] if many and launched else [LightningEnvironment()]


def on_gpu(hardware: HardwareConfig) -> bool:
    """Whether a GPU will be used."""
    return hardware.device == "gpu" or (hardware.device == "auto" and torch.cuda.is_available())


def run_device(hardware: HardwareConfig) -> torch.device:
    """The device on which this process trains: its own GPU of this machine, or the CPU."""
    if not on_gpu(hardware):
        return torch.device("cpu")
    local_rank = number_of("SLURM_LOCALID" if started_by_srun() else "LOCAL_RANK")
    return torch.device("cuda", local_rank or 0)


def check_hardware(hardware: HardwareConfig) -> None:
    """Raises an error if the hardware settings do not match this machine or launch, before anything is written."""
    if on_gpu(hardware) and hardware.devices > torch.cuda.device_count():
        raise RequestError(
            f"{hardware.devices} GPUs were requested, but torch finds {torch.cuda.device_count()}; "
            "lower --devices or use --device cpu."
        )
    if hardware.precision == "16-mixed" and not on_gpu(hardware):
        raise RequestError("16-mixed needs a GPU; on a CPU use --precision bf16-mixed.")
    asked = hardware.devices * hardware.num_nodes
    started = (number_of("WORLD_SIZE") or asked) if "TORCHELASTIC_RUN_ID" in os.environ else asked
    if asked != started:
        raise RequestError(
            f"torchrun started {started} processes, but --devices {hardware.devices} times --num-nodes "
            f"{hardware.num_nodes} is {asked}; make them equal."
        )
    if asked == 1 and not is_first_process():
        names = ("RANK", "NODE_RANK", "LOCAL_RANK", "SLURM_PROCID")
        ranks = ", ".join(f"{name}={os.environ[name]}" for name in names if number_of(name))
        raise RequestError(
            f"By its environment this process is one of several ({ranks}), but --devices times --num-nodes is 1; "
            "start one process, give --devices and --num-nodes, or unset these variables."
        )


class WatchChildren(Callback):
    """Takes the place of Lightning's own watch over the processes that it started on this machine.

    Lightning's looks every five seconds and kills this process at once, often between the lost connection and the
    error message. Ours leaves time to notice the loss and to end.
    """

    def setup(self, trainer: Trainer, pl_module: LightningModule, stage: str) -> None:
        watch_children(trainer.strategy.launcher)


def watch_children(launcher: Any) -> None:
    """Watches the launcher's processes, if it has any, instead of Lightning's thread."""
    if children := getattr(launcher, "procs", []):
        launcher.procs = list(children)
        children.clear()  # the list that Lightning's thread holds; the thread ends when nothing is in it
        watch(launcher.procs)


@contextmanager
def stop_all_on_error(trainer: Trainer) -> Iterator[None]:
    """Stops all processes on an error in one; only the process with the original error reports it."""
    try:
        yield
    except BaseException as error:
        _end_others(trainer)
        if _is_lost_connection(error):
            raise OtherProcessError(OTHER_STOPPED) from error
        raise


def _is_lost_connection(error: BaseException) -> bool:
    if isinstance(error, torch.distributed.DistBackendError):
        return True
    return isinstance(error, RuntimeError) and any(words in str(error) for words in _LOST)


def _end_others(trainer: Trainer) -> None:
    # SIGKILL: processes that wait in a collective operation do not react to gentler signals.
    for process in getattr(trainer.strategy.launcher, "procs", []):
        process.send_signal(signal.SIGKILL)

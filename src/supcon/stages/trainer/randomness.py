"""Random numbers that depend on nothing but seed, stage and step: resuming needs no saved state."""

import hashlib

import torch
from lightning import Callback, LightningModule, Trainer
from torch import Tensor

from supcon.views import Place


def view_generator(seed: int, stage: str, step: int) -> torch.Generator:
    """The generator of one step's views; on the CPU, so that every device and every process gets the same.

    >>> a, b = (view_generator(0, "stage1", 7) for _ in range(2))
    >>> bool((torch.rand(3, generator=a) == torch.rand(3, generator=b)).all())
    True
    """
    return torch.Generator().manual_seed(_number(f"{seed}/{stage}/{step}"))


def _number(words: str) -> int:
    # Hashed, because neighbouring integer seeds would give neighbouring states to weak generators.
    return int.from_bytes(hashlib.blake2b(words.encode(), digest_size=8).digest(), "big") >> 1


def batch_place(module: LightningModule, images: Tensor) -> Place:
    """Which part of the whole batch this process has: the views of an image do not depend on where they are made."""
    processes = module.trainer.world_size if module._trainer is not None else 1
    return Place(module.global_rank * len(images), processes * len(images))


class SeedSteps(Callback):
    """Seeds torch's own generators before every step: what dropout and drop-path draw survives a resumed run too."""

    def __init__(self, seed: int, stage: str) -> None:
        self.seed, self.stage = seed, stage

    def on_train_batch_start(self, trainer: Trainer, pl_module: LightningModule, batch: object, batch_idx: int) -> None:
        del pl_module, batch, batch_idx
        torch.manual_seed(_number(f"{self.seed}/{self.stage}/{trainer.global_step}/{trainer.global_rank}/networks"))

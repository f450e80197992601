"""Random numbers that depend only on seed, stage and step, so that resuming needs no saved random state."""

import hashlib

import torch
from lightning import Callback, LightningModule, Trainer
from torch import Tensor

from supcon.views import Place


def view_generator(seed: int, stage: str, step: int) -> torch.Generator:
    """The generator for the views of one step; on the CPU, so that all devices and processes draw the same numbers.

    >>> a, b = (view_generator(0, "stage1", 7) for _ in range(2))
    >>> bool((torch.rand(3, generator=a) == torch.rand(3, generator=b)).all())
    True
    """
    return torch.Generator().manual_seed(_number(f"{seed}/{stage}/{step}"))


def _number(words: str) -> int:
    # Hashed, because consecutive integer seeds can give correlated generators.
    return int.from_bytes(hashlib.blake2b(words.encode(), digest_size=8).digest(), "big") >> 1


def batch_place(module: LightningModule, images: Tensor) -> Place:
    """The part of the whole batch that this process has, so that an image's views do not depend on the process."""
    processes = module.trainer.world_size if module._trainer is not None else 1
    return Place(module.global_rank * len(images), processes * len(images))


def mixing_generator(module: LightningModule, generator: torch.Generator, seed: int) -> torch.Generator:
    """The generator of MixUp and CutMix, which mix the rows of one process: each process needs draws of its own."""
    rank = module.global_rank
    return view_generator(seed, f"stage1/mix/{rank}", module.global_step) if rank else generator


class SeedSteps(Callback):
    """Seeds torch's global generators before every step, so that dropout and drop-path are the same in resumed runs."""

    def __init__(self, seed: int, stage: str) -> None:
        self.seed, self.stage = seed, stage

    def on_train_batch_start(self, trainer: Trainer, pl_module: LightningModule, batch: object, batch_idx: int) -> None:
        del pl_module, batch, batch_idx
        torch.manual_seed(_number(f"{self.seed}/{self.stage}/{trainer.global_step}/{trainer.global_rank}/networks"))

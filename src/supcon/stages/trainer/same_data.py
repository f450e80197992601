"""Refuses a distributed training whose processes see different images: they would wait for each other for ever."""

import hashlib
from typing import Any

import torch
from lightning import Callback, LightningModule, Trainer
from torch.utils.data import DataLoader

from supcon.base.errors import RequestError
from supcon.stages.trainer.collectives import gather, is_distributed


class SameData(Callback):
    """Compares the number of steps, images and labels of all processes before the first step."""

    def __init__(self, loader: "DataLoader[Any]") -> None:
        self.loader = loader

    def on_fit_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        if not is_distributed():
            return
        own = torch.tensor([len(self.loader), *_facts(self.loader)], dtype=torch.int64, device=pl_module.device)
        every = gather(own[None]).tolist()
        for rank, facts in enumerate(every):
            if facts != every[0]:
                raise RequestError(
                    f"Process {rank} has {facts[1]:,} training images in {facts[0]:,} steps and process 0 has "
                    f"{every[0][1]:,} in {every[0][0]:,}, or their labels differ; give all processes the same data."
                )


def _facts(loader: "DataLoader[Any]") -> tuple[int, int]:
    """The number of images, and a hash of their labels."""
    labels = getattr(getattr(loader.dataset, "split", loader.dataset), "labels", torch.zeros(0))
    digest = hashlib.blake2b(labels.cpu().numpy().tobytes(), digest_size=7).digest()
    images: int = getattr(loader.sampler, "images", 0)
    return images, int.from_bytes(digest, "big")

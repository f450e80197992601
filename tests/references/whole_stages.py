"""Whole stages, as a run trains them, with everything but the interesting values filled in."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from supcon.base.metrics_table import read_metrics
from supcon.data.image_data import ImageData
from supcon.jobs.model_outputs import encode_training_images
from supcon.losses import LossConfig
from supcon.stages.config import HardwareConfig, OptimizerConfig, Stage1Config, Stage2Config
from supcon.stages.methods import METHODS, Method
from supcon.stages.run_context import RunContext
from supcon.stages.stage1 import Networks, Stage1Settings, train_encoder
from supcon.stages.stage2 import train_classifier
from supcon.stages.trainer.fit import fit
from supcon.views import MixConfig, ViewsConfig

VIEWS = ViewsConfig(augmentation="crop-flip", crop_area=(0.8, 1.0), flip_probability=0.0)
CPU = HardwareConfig(device="cpu")
EQUATION = LossConfig(rescale="none")
NO_MIX = MixConfig()
LINEAR = Stage2Config(batch_size=12, optimizer=OptimizerConfig(lr=2.0, weight_decay=0.0))
Weights = dict[str, Tensor]
Probe = Callable[[Any], Mapping[str, float]]


def adamw(lr: float) -> OptimizerConfig:
    return OptimizerConfig(name="adamw", lr=lr, warmup_epochs=0.5)


def nothing(encode: Any) -> Mapping[str, float]:
    return {}


class Stages:
    """The stages of one set of images, each into a folder of its own."""

    def __init__(self, data: ImageData, make_parts: Callable[..., Any], folder: Path) -> None:
        self.data, self.make_parts, self.folder = data, make_parts, folder
        self.fit: Callable[..., None] = fit

    def context(self, seed: int, hardware: HardwareConfig = CPU) -> RunContext:
        return RunContext(data=self.data, hardware=hardware, seed=seed, fit=self.fit)

    def train(
        self,
        method: Method = "supcon",
        folder: str = "stage1",
        *,
        epochs: int = 2,
        lr: float = 0.01,
        seed: int = 0,
        probe: Probe = nothing,
        knn_every: int = 1,
        views: ViewsConfig = VIEWS,
        hardware: HardwareConfig = CPU,
        loss: LossConfig = EQUATION,
        mix: MixConfig = NO_MIX,
        classifier: Stage2Config = LINEAR,
        optimizer: OptimizerConfig | None = None,
        **options: Any,
    ) -> nn.ModuleDict:
        """Stage 1 of a method; further options are those of `Stage1Config`."""
        encoder, projection, last_layer = self.make_parts(0)
        parts = Networks(encoder=encoder, projection=projection, classifier=last_layer)
        optimizer = optimizer or adamw(lr)
        stage = Stage1Config(epochs=epochs, batch_size=12, optimizer=optimizer, knn_every=knn_every, **options)
        settings = Stage1Settings(
            method_spec=METHODS[method],
            loss=loss,
            views=views,
            mix=mix,
            stage=stage,
            classifier=classifier,
            probe=probe,
        )
        train_encoder(parts, settings, self.context(seed, hardware), self.folder / folder)
        return nn.ModuleDict({"encoder": encoder, "projection": projection, "classifier": last_layer})

    def pretrain(self, folder: str = "stage1", **options: Any) -> nn.ModuleDict:
        return self.train("supcon", folder, **options)

    def cross_entropy(self, folder: str = "stage1", **options: Any) -> nn.ModuleDict:
        return self.train("cross-entropy", folder, knn_every=0, **options)

    def classify(self, folder: str = "stage2", *, epochs: int = 2, seed: int = 0, **options: Any) -> nn.ModuleDict:
        """Stage 2; options are those of `Stage2Config`."""
        encoder, _, classifier = self.make_parts(0)
        stage = replace(LINEAR, epochs=epochs, **options)
        encode_split = partial(encode_training_images, image_size=self.data.image_size)
        context = self.context(seed)
        train_classifier(encoder, classifier, stage, context, self.folder / folder, encode_split=encode_split)
        return nn.ModuleDict({"encoder": encoder, "classifier": classifier})

    def rows(self, folder: str) -> dict[int, dict[str, float]]:
        return read_metrics(self.folder / folder / "metrics.csv")


def weights(module: nn.Module) -> Weights:
    return {name: tensor.clone() for name, tensor in module.state_dict().items()}


def equal(first: Weights, second: Weights) -> bool:
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


def checkpointed(folder: Path) -> Weights:
    """Everything that a stage's last checkpoint holds of its modules: weights, averages, queue."""
    path = folder / "checkpoints" / "last.ckpt"
    state: Weights = torch.load(path, weights_only=True)["state_dict"]
    return state

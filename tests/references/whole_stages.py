"""Whole stages, as a run trains them, with everything but the interesting values filled in."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from supcon.data.image_data import ImageData
from supcon.losses.config import LossConfig
from supcon.stages.config import HardwareConfig, OptimizerConfig, Stage1Config, Stage2Config
from supcon.stages.metrics_file import read_metrics
from supcon.stages.train import Surroundings, classify, cross_entropy, pretrain
from supcon.views import MixConfig, ViewsConfig

VIEWS = ViewsConfig(augmentation="crop-flip", crop_area=(0.8, 1.0), flip_probability=0.0)
CPU = HardwareConfig(device="cpu")
Weights = dict[str, Tensor]
Probe = Callable[[Any], Mapping[str, float]]


def adamw(lr: float) -> OptimizerConfig:
    return OptimizerConfig(name="adamw", lr=lr, warmup_epochs=0.5)


def nothing(encode: Any) -> Mapping[str, float]:
    return {}


def write(path: Path, text: str) -> None:
    path.write_text(text)


class Stages:
    """The three stages of one set of images, each into a folder of its own."""

    def __init__(self, data: ImageData, make_parts: Callable[..., Any], folder: Path) -> None:
        self.data, self.make_parts, self.folder = data, make_parts, folder

    def around(self, seed: int, hardware: HardwareConfig = CPU) -> Surroundings:
        return Surroundings(data=self.data, hardware=hardware, seed=seed, write=write)

    def pretrain(
        self,
        folder: str = "stage1",
        *,
        epochs: int = 2,
        lr: float = 0.01,
        seed: int = 0,
        probe: Probe = nothing,
        knn_every: int = 1,
        labelled: bool = True,
        views: ViewsConfig = VIEWS,
        hardware: HardwareConfig = CPU,
    ) -> nn.ModuleDict:
        encoder, projection, _ = self.make_parts(0)
        pretrain(
            encoder,
            projection,
            self.around(seed, hardware),
            self.folder / folder,
            labelled=labelled,
            loss=LossConfig(rescale="none"),
            views=views,
            mix=MixConfig(),
            stage=Stage1Config(epochs=epochs, batch_size=12, optimizer=adamw(lr), knn_every=knn_every),
            probe=probe,
        )
        return nn.ModuleDict({"encoder": encoder, "projection": projection})

    def cross_entropy(self, folder: str = "stage1", *, epochs: int = 2, seed: int = 0) -> nn.ModuleDict:
        encoder, _, classifier = self.make_parts(0)
        cross_entropy(
            encoder,
            classifier,
            self.around(seed),
            self.folder / folder,
            views=VIEWS,
            mix=MixConfig(),
            stage=Stage1Config(epochs=epochs, batch_size=12, optimizer=adamw(0.01), knn_every=0),
            probe=nothing,
        )
        return nn.ModuleDict({"encoder": encoder, "classifier": classifier})

    def classify(self, folder: str = "stage2", *, epochs: int = 2, seed: int = 0) -> nn.ModuleDict:
        encoder, _, classifier = self.make_parts(0)
        stage = Stage2Config(epochs=epochs, batch_size=12, optimizer=OptimizerConfig(lr=2.0, weight_decay=0.0))
        classify(encoder, classifier, self.around(seed), self.folder / folder, stage=stage)
        return nn.ModuleDict({"encoder": encoder, "classifier": classifier})

    def rows(self, folder: str) -> dict[int, dict[str, float]]:
        return read_metrics(self.folder / folder / "metrics.csv")


def weights(module: nn.Module) -> Weights:
    return {name: tensor.clone() for name, tensor in module.state_dict().items()}


def equal(first: Weights, second: Weights) -> bool:
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)

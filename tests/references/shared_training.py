"""A script: stage 1 of a few images in one or two processes, one step an epoch, so that metrics.csv has every step.

    python shared_training.py FOLDER PROCESSES MICRO_BATCH QUEUE [fail]

With `fail`, the second process cannot do its second step.
"""

import os
import sys
from pathlib import Path

import torch
from torch import nn

from supcon.base.errors import WorkError
from supcon.cli.main import _fail
from supcon.data.image_data import ImageData, Split
from supcon.encoder.encoder import Encoder
from supcon.losses.config import LossConfig
from supcon.projection.projection import Projection
from supcon.stages.config import HardwareConfig, OptimizerConfig, Stage1Config, Stage2Config
from supcon.stages.methods import METHODS
from supcon.stages.pretrain import Pretrain
from supcon.stages.run_context import RunContext
from supcon.stages.stage1 import Networks, Stage1Settings, train_encoder
from supcon.views import MixConfig, ViewsConfig

IMAGES = 24


def write(path: Path, text: str) -> None:
    path.write_text(text)


class Network(nn.Sequential):
    """Without batch norm, which would see the images of its own process alone."""

    num_features = 16


def data() -> ImageData:
    generator = torch.Generator().manual_seed(0)
    images = torch.randint(0, 255, (IMAGES, 1, 8, 8), generator=generator).to(torch.uint8)
    split = Split(images=images, labels=torch.arange(IMAGES) % 3)
    names = ("a", "b", "c")
    return ImageData(
        name="noise",
        class_names=names,
        train=split,
        validation=split,
        test=split,
        image_size=8,
        mean=(0.5,),
        std=(0.3,),
    )


def train(folder: Path, processes: int, micro_batch: int | None, queue: int) -> None:
    torch.manual_seed(0)
    network = Network(nn.Conv2d(1, 8, 3, 2), nn.GroupNorm(2, 8), nn.ReLU(), nn.Conv2d(8, 16, 3), nn.Flatten())
    encoder = Encoder(network, (0.5,), (0.3,))
    parts = Networks(encoder=encoder, projection=Projection(16, 8), classifier=nn.Linear(16, 3))
    settings = Stage1Settings(
        method_spec=METHODS["supcon"],
        loss=LossConfig(queue_size=queue, max_positives=5),
        views=ViewsConfig(augmentation="sim-augment", crop_area=(0.5, 1.0)),
        mix=MixConfig(),
        stage=Stage1Config(
            epochs=8,
            batch_size=IMAGES,
            micro_batch=micro_batch,
            optimizer=OptimizerConfig(name="adamw", lr=0.01),
            knn_every=4,
        ),
        classifier=Stage2Config(),
        probe=lambda encode: {"validation/knn_top1": float(os.environ.get("LOCAL_RANK", 0))},
    )
    hardware = HardwareConfig(device="cpu", devices=processes)
    context = RunContext(data=data(), hardware=hardware, seed=3)
    train_encoder(parts, settings, context, folder)


def fail_in_the_second_process() -> None:
    real = Pretrain.make_views

    def make_views(self: Pretrain, batch: list[torch.Tensor]) -> object:
        if os.environ.get("LOCAL_RANK") == "1" and self.global_step == 1:
            raise WorkError("image 7 cannot be read.")
        return real(self, batch)

    Pretrain.make_views = make_views  # type: ignore[assignment, method-assign]


if __name__ == "__main__":
    folder, processes, micro_batch, queue, *fail = sys.argv[1:]
    if fail:
        fail_in_the_second_process()
    try:
        train(Path(folder), int(processes), int(micro_batch) or None, int(queue))
    except WorkError as error:
        sys.exit(_fail(str(error), 1, []))

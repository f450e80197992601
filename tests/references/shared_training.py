"""A script: stage 1 of a few images in one or two processes, one step an epoch, so that metrics.csv has every step.

    python shared_training.py FOLDER PROCESSES MICRO_BATCH QUEUE [fail | short | held]

With `fail`, the second process cannot do its second step; with `short` its data is of another length; with `held` the
training waits before its fifth step until there is a file FOLDER/go. NODES is the number of machines, one if it is not
set.
"""

import os
import sys
import time
from pathlib import Path

import torch
from torch import nn

from supcon.base.end_of_process import end_process_of_group
from supcon.base.errors import RequestError, WorkError
from supcon.cli.main import _fail
from supcon.data.image_data import ImageData, Split
from supcon.encoder.encoder import Encoder
from supcon.losses import LossConfig
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


def data(count: int = IMAGES) -> ImageData:
    generator = torch.Generator().manual_seed(0)
    images = torch.randint(0, 255, (count, 1, 8, 8), generator=generator).to(torch.uint8)
    split = Split(images=images, labels=torch.arange(count) % 3)
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


def train(folder: Path, processes: int, micro_batch: int | None, queue: int, images: ImageData | None = None) -> None:
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
    hardware = HardwareConfig(device="cpu", devices=processes, num_nodes=int(os.environ.get("NODES", "1")))
    context = RunContext(data=images or data(), hardware=hardware, seed=3)
    train_encoder(parts, settings, context, folder)


def disturb_steps(how: str, folder: Path) -> None:
    real = Pretrain.make_views

    def make_views(self: Pretrain, batch: list[torch.Tensor]) -> object:
        if how == "fail" and os.environ.get("LOCAL_RANK") == "1" and self.global_step == 1:
            raise WorkError("image 7 cannot be read.")
        while how == "held" and self.global_step >= 4 and not (folder / "go").exists():
            time.sleep(0.02)
        return real(self, batch)

    Pretrain.make_views = make_views  # type: ignore[assignment, method-assign]


if __name__ == "__main__":
    folder, processes, micro_batch, queue, *how = sys.argv[1:]
    if how and how != ["short"]:
        disturb_steps(how[0], Path(folder))
    other = how == ["short"] and os.environ.get("LOCAL_RANK") == "1"
    code = 0
    try:
        images = data(IMAGES + 3) if other else data()
        train(Path(folder), int(processes), int(micro_batch) or None, int(queue), images)
    except (RequestError, WorkError) as error:
        code = _fail(str(error), 2 if isinstance(error, RequestError) else 1, [])
    end_process_of_group(code)
    sys.exit(code)

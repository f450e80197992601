"""What every stage of a run shares: loader, views, callbacks, clipping."""

from typing import Any

import pytest
import torch

from references.whole_stages import Stages
from supcon.data.image_data import ImageData
from supcon.stages.config import HardwareConfig, OptimizerConfig
from supcon.stages.run_context import RunContext, WorkerTransform
from supcon.views import ViewsConfig


@pytest.mark.parametrize(("clip_norm", "longest"), [(0.001, 3e-4), (None, 1e9)])
def test_a_stage_clips_before_it_steps(stages: Stages, clip_norm: float | None, longest: float) -> None:
    """Without momentum and decay, a step is as long as the rate times the gradient: at most 0.1 * 0.001 for 3 steps."""
    before = torch.cat([p.detach().flatten() for part in stages.make_parts(0) for p in part.parameters()])
    chosen = OptimizerConfig(lr=0.1, momentum=0, weight_decay=0, schedule="constant", clip_norm=clip_norm)
    after = torch.cat([p.detach().flatten() for p in stages.pretrain(epochs=1, optimizer=chosen).parameters()])
    moved = float((after - before).norm())
    assert moved <= longest * 1.01
    assert clip_norm is not None or moved > 1e-2


def test_views_in_workers_depend_on_seed_stage_epoch_and_image_alone() -> None:
    image = torch.zeros(1, 2, 2)

    def make(picture: Any, generator: torch.Generator) -> torch.Tensor:
        return torch.rand(4, generator=generator)

    def views(seed: int, stage: str, epoch: int, index: int, repeat: int = 0) -> torch.Tensor:
        return WorkerTransform(make, seed, stage)(image, epoch, index, repeat)

    usual = views(0, "stage1", 1, 7)
    assert torch.equal(usual, views(0, "stage1", 1, 7))
    others = [views(1, "stage1", 1, 7), views(0, "stage2", 1, 7), views(0, "stage1", 2, 7), views(0, "stage1", 1, 8)]
    again = [views(0, "stage1", 1, 7, repeat) for repeat in (1, 2)]  # a sampler draws a rare image more than once
    assert not any(torch.equal(usual, other) for other in [*others, *again])
    assert not torch.equal(*again)


def test_the_loader_has_every_image_once_an_epoch(stripes: ImageData) -> None:
    context = RunContext(data=stripes, hardware=HardwareConfig(device="cpu"), seed=0)
    maker = context.view_maker(ViewsConfig(augmentation="crop-flip"))
    batches = list(context.loader(stripes.train, 6, maker, "stage1"))
    assert len(batches) == len(stripes.train) // 6
    seen = torch.cat([labels for _, labels in batches])
    assert seen.bincount().tolist() == stripes.train.labels.bincount().tolist()


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_batches_for_a_gpu_are_in_pinned_memory(device: Any, stages: Stages) -> None:
    context = RunContext(data=stages.data, hardware=HardwareConfig(device=device), seed=0)
    loader = context.loader(stages.data.train, 4, context.view_maker(ViewsConfig()), "stage1")
    assert loader.pin_memory == (device == "gpu")

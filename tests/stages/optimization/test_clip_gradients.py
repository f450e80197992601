from unittest.mock import Mock

import pytest
import torch
from lightning import LightningModule, Trainer
from torch import nn
from torch.optim import SGD

from references.whole_stages import Stages
from supcon.stages.config import OptimizerConfig
from supcon.stages.optimization.clip_gradients import ClipGradients


@pytest.mark.parametrize(("norm", "scale"), [(1.0, 1 / 13), (26.0, 1.0)])
def test_only_long_gradients_are_shortened_all_together(norm: float, scale: float) -> None:
    first, second = nn.Parameter(torch.zeros(2)), nn.Parameter(torch.zeros(1))
    first.grad, second.grad = torch.tensor([3.0, 4.0]), torch.tensor([12.0])  # together 13 long
    optimizer = SGD([{"params": [first]}, {"params": [second]}], lr=0.1)
    ClipGradients(norm).on_before_optimizer_step(Mock(Trainer), Mock(LightningModule), optimizer)
    assert torch.allclose(first.grad, scale * torch.tensor([3.0, 4.0]))
    assert torch.allclose(second.grad, scale * torch.tensor([12.0]))


@pytest.mark.parametrize(("clip_norm", "longest"), [(0.001, 3e-4), (None, 1e9)])
def test_a_stage_clips_before_it_steps(stages: Stages, clip_norm: float | None, longest: float) -> None:
    """Without momentum and decay, a step is as long as the rate times the gradient: at most 0.1 * 0.001 for 3 steps."""
    before = torch.cat([p.detach().flatten() for part in stages.make_parts(0) for p in part.parameters()])
    chosen = OptimizerConfig(lr=0.1, momentum=0, weight_decay=0, schedule="constant", clip_norm=clip_norm)
    after = torch.cat([p.detach().flatten() for p in stages.pretrain(epochs=1, optimizer=chosen).parameters()])
    moved = float((after - before).norm())
    assert moved <= longest * 1.01
    assert clip_norm is not None or moved > 1e-2

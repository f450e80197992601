"""What every step promises: its protocol, parameters for each image, the announced output size."""

from typing import Any

import pytest
import torch

from supcon.views import StackedRandAugment
from supcon.views.steps.step import AnyStep, Step

STEPS = StackedRandAugment().steps


@pytest.mark.parametrize("step", STEPS, ids=lambda step: type(step).__name__)
def test_a_step_keeps_its_promises(step: AnyStep, photos: Any) -> None:
    assert isinstance(step, Step)
    assert 0 <= step.shared_draws <= step.uniform_draws
    uniform = torch.rand(5, step.uniform_draws, generator=torch.Generator().manual_seed(0))
    parameters = step.parameters(uniform, 24, 20)
    assert all(len(values) == 5 and values.device.type == "cpu" for values in parameters)
    images = photos(5, 3, 24, 20)
    images = images if step.on_bytes else images / 255
    before = images.clone()
    changed = step.apply(images, parameters)
    assert changed.shape == (5, 3, *step.output_size(24, 20))
    assert changed.dtype in (torch.uint8, torch.float32)
    assert torch.equal(images, before)
    again = step.apply(images, step.parameters(uniform, 24, 20))
    assert torch.equal(changed, again)
    assert all(isinstance(line, str) for i in range(5) for line in step.describe(parameters, i))

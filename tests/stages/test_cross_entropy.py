from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import torch
import torch.nn.functional as F
from torch import Tensor

from supcon.stages.cross_entropy import CrossEntropy
from supcon.stages.randomness import view_generator


def noise(images: Tensor, generator: torch.Generator | None = None) -> Tensor:
    return images + torch.randint(0, 50, images.shape, generator=generator, dtype=torch.uint8)


def test_the_loss_is_over_the_same_views_that_stage_1_sees(make_parts: Callable[..., Any]) -> None:
    encoder, _, classifier = make_parts(0)
    images, labels = torch.randint(0, 200, (6, 1, 8, 8)).to(torch.uint8), torch.arange(6) % 3
    generator = view_generator(4, "stage1", 0, 0)
    views = torch.stack([noise(images, generator) for _ in range(2)], dim=1)
    logits = classifier(encoder(views.flatten(0, 1)))
    expected = F.cross_entropy(logits.view(6, 2, 3).transpose(1, 2), labels[:, None].expand(-1, 2))
    module: Any = CrossEntropy(encoder, classifier, noise, Mock(), views=2, seed=4)
    module.log_dict = Mock()
    found = module.training_step([images, labels], 0)
    assert torch.allclose(found, expected, rtol=1e-5)
    logged = module.log_dict.call_args.args[0]
    accuracy = (logits.argmax(1).view(6, 2) == labels[:, None]).float().mean()
    assert logged == {"train/loss": found, "train/top1": accuracy}


def test_encoder_and_classifier_are_trained_over_all_steps(make_parts: Callable[..., Any]) -> None:
    encoder, _, classifier = make_parts(0)
    module: Any = CrossEntropy(encoder, classifier, noise, Mock())
    module._trainer = Mock(estimated_stepping_batches=9)
    module.configure_optimizers()
    module.optimization.assert_called_once_with([encoder, classifier], 9)

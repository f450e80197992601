from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import torch
import torch.nn.functional as F
from torch import Tensor

from supcon.stages.cross_entropy import CrossEntropy
from supcon.stages.optimization.optimizer_and_schedule import Optimization
from supcon.stages.trainer.randomness import view_generator
from supcon.views import ViewsConfig, cutmix, make_view_maker, mixed_targets

VIEWS = make_view_maker(ViewsConfig(crop_area=(0.5, 1.0)), 8, 1, (8, 8), "cpu")


def batch() -> list[Tensor]:
    generator = torch.Generator().manual_seed(1)
    return [torch.randint(0, 200, (6, 1, 8, 8), generator=generator).to(torch.uint8), torch.arange(6) % 3]


def step(parts: Any, **options: Any) -> tuple[Tensor, dict[str, Tensor]]:
    module: Any = CrossEntropy(parts[0], parts[2], VIEWS, Mock(spec=Optimization), seed=4, **options)
    module.log_dict = Mock()
    return module.training_step(batch(), 0), module.log_dict.call_args.args[0]


def test_the_loss_is_over_the_same_views_that_stage_1_sees(make_parts: Callable[..., Any]) -> None:
    encoder, _, classifier = parts = make_parts(0)
    images, labels = batch()
    views = VIEWS(images, view_generator(4, "stage1", 0))
    logits = classifier(encoder(views.flatten(0, 1))).view(6, 2, 3)
    expected = F.cross_entropy(logits.transpose(1, 2), labels[:, None].expand(-1, 2))
    loss, logged = step(parts)
    assert torch.allclose(loss, expected, rtol=1e-5)
    accuracy = (logits.argmax(2) == labels[:, None]).float().mean()
    assert logged == {"train/loss": loss, "train/top1": accuracy}


def test_mixed_rows_are_asked_for_both_classes(make_parts: Callable[..., Any]) -> None:
    encoder, _, classifier = parts = make_parts(0)
    images, labels = batch()
    generator = view_generator(4, "stage1", 0)
    mixed = cutmix(VIEWS(images, generator).flatten(0, 1), generator=generator)
    rows = labels.repeat_interleave(2)
    log_probabilities = classifier(encoder(mixed.images)).log_softmax(1)
    expected = torch.tensor(0.0)
    for row, (own, partner, share) in enumerate(zip(rows, rows[mixed.partners], mixed.shares, strict=True)):
        expected -= (share * log_probabilities[row, own] + (1 - share) * log_probabilities[row, partner]) / 12
    assert torch.allclose(step(parts, mix=cutmix)[0], expected, rtol=1e-5)


def test_encoder_and_classifier_are_trained_over_all_steps(make_parts: Callable[..., Any]) -> None:
    encoder, _, classifier = make_parts(0)
    module: Any = CrossEntropy(encoder, classifier, VIEWS, Mock(spec=Optimization))
    module._trainer = Mock(estimated_stepping_batches=9)
    module.configure_optimizers()
    module.optimization.configure.assert_called_once_with([encoder, classifier], 9)


def test_first_view_only_is_the_authors_way(make_parts: Callable[..., Any]) -> None:
    """All views go through the encoder and its batch norms; the loss and the accuracy are those of the first."""
    encoder, _, classifier = parts = make_parts(0)
    images, labels = batch()
    views = VIEWS(images, view_generator(4, "stage1", 0))
    logits = classifier(encoder(views.flatten(0, 1))).view(6, 2, 3)[:, 0]
    loss, logged = step(parts, first_view_only=True)
    assert torch.allclose(loss, F.cross_entropy(logits, labels), rtol=1e-5)
    assert logged["train/top1"] == (logits.argmax(1) == labels).float().mean()
    alone = classifier(encoder(views[:, 0]))
    assert not torch.allclose(loss, F.cross_entropy(alone, labels), rtol=1e-4), "batch norm saw the other views"


def test_first_views_of_mixed_rows_keep_their_mixed_targets(make_parts: Callable[..., Any]) -> None:
    encoder, _, classifier = parts = make_parts(0)
    images, labels = batch()
    generator = view_generator(4, "stage1", 0)
    mixed = cutmix(VIEWS(images, generator).flatten(0, 1), generator=generator)
    targets = mixed_targets(labels.repeat_interleave(2), mixed, 3)
    expected = F.cross_entropy(classifier(encoder(mixed.images))[::2], targets[::2])
    assert torch.allclose(step(parts, mix=cutmix, first_view_only=True)[0], expected, rtol=1e-5)

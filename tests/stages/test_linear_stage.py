import copy
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest
import torch
import torch.nn.functional as F
from timm.layers.norm_act import BatchNormAct2d
from torch import nn

from supcon.encoder.encoder import Encoder
from supcon.stages.config import BatchNormMode
from supcon.stages.linear_stage import Classify, make_classifier
from supcon.stages.optimization.optimizer_and_schedule import Optimization
from supcon.stages.trainer.randomness import view_generator
from supcon.views import ViewsConfig, make_view_maker

VIEWS = make_view_maker(ViewsConfig(count=1, crop_area=(0.5, 1.0)), 8, 1, (8, 8), "cpu")


def test_glorots_weights_and_no_bias_to_start_with() -> None:
    torch.manual_seed(0)
    classifier = make_classifier(300, 100)
    bound = (6 / 400) ** 0.5
    assert classifier.weight.abs().max() <= bound
    assert classifier.weight.std().item() == pytest.approx(bound / 3**0.5, rel=0.02)
    assert (classifier.bias == 0).all()


def test_the_loss_is_that_of_one_view_on_the_frozen_representation(make_parts: Callable[..., Any]) -> None:
    encoder, _, classifier = make_parts(0)
    images, labels = torch.randint(0, 200, (6, 1, 8, 8)).to(torch.uint8), torch.arange(6) % 3
    module: Any = Classify(encoder, classifier, VIEWS, Mock(spec=Optimization), seed=4)
    module.log_dict = Mock()
    module.on_train_epoch_start()
    found = module.training_step([images, labels], 0)
    view = VIEWS(images, view_generator(4, "stage2", 0))[:, 0]
    logits = classifier(encoder.eval()(view))
    assert torch.allclose(found, F.cross_entropy(logits, labels), rtol=1e-5)
    accuracy = (logits.argmax(1) == labels).float().mean()
    assert module.log_dict.call_args.args[0] == {"train/loss": found, "train/top1": accuracy}
    found.backward()
    assert all(p.grad is None for p in encoder.parameters())
    assert all(p.grad is not None for p in classifier.parameters())


def test_only_the_classifier_is_trained(make_parts: Callable[..., Any]) -> None:
    encoder, _, classifier = make_parts(0)
    module: Any = Classify(encoder, classifier, VIEWS, Mock(spec=Optimization))
    module._trainer = Mock(estimated_stepping_batches=9)
    module.configure_optimizers()
    module.optimization.configure.assert_called_once_with([classifier], 9)
    assert not any(p.requires_grad for p in encoder.parameters())


def averages(encoder: Any) -> list[torch.Tensor]:
    return [value.clone() for name, value in encoder.state_dict().items() if "running" in name or "tracked" in name]


def test_batch_norm_by_the_batch_leaves_the_averages_alone(make_parts: Callable[..., Any]) -> None:
    """As the authors' TensorFlow code has it: training mode, without the updates."""
    encoder, _, classifier = make_parts(0)
    images, labels = torch.randint(0, 200, (6, 1, 8, 8)).to(torch.uint8), torch.arange(6) % 3
    before = averages(encoder)
    assert before
    view = VIEWS(images, view_generator(4, "stage2", 0))[:, 0]
    by_averages, by_batch = (classifier(copy.deepcopy(encoder).train(train)(view)) for train in (False, True))
    modes: list[tuple[BatchNormMode, torch.Tensor]] = [("averages", by_averages), ("batch", by_batch)]
    for mode, logits in modes:
        module: Any = Classify(encoder, classifier, VIEWS, Mock(spec=Optimization), batch_norm=mode, seed=4)
        module.log_dict = Mock()
        module.on_train_epoch_start()
        found = module.training_step([images, labels], 0)
        assert torch.allclose(found, F.cross_entropy(logits, labels), rtol=1e-5)
        assert all(torch.equal(old, new) for old, new in zip(before, averages(encoder), strict=True))
        found.backward()
        assert all(p.grad is None for p in encoder.parameters())
    assert not torch.allclose(by_averages, by_batch, rtol=1e-3)


class Dropping(nn.Module):
    """A network with two kinds of dropout: one of its own, and one inside of a batch norm, as in networks of timm."""

    num_features = 4

    def __init__(self) -> None:
        super().__init__()
        self.norm = BatchNormAct2d(1, act_layer=nn.Identity, drop_layer=nn.Dropout)
        self.layers = nn.Sequential(nn.Conv2d(1, 4, 8), nn.BatchNorm2d(4), nn.Dropout(), nn.Flatten())

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        rows: torch.Tensor = self.layers(self.norm(images))
        return rows


def test_batch_norm_by_the_batch_switches_no_dropout_on() -> None:
    encoder = Encoder(Dropping(), mean=(0.5,), std=(0.25,), normalize_representation=False)
    module = Classify(encoder, make_classifier(4, 3), VIEWS, Mock(spec=Optimization), batch_norm="batch")
    module.on_train_epoch_start()
    images = torch.randint(0, 200, (6, 1, 8, 8)).to(torch.uint8)
    with torch.no_grad():
        rows = encoder(images)
        assert torch.equal(encoder(images), rows), "dropout would change it"
    assert torch.allclose(rows.mean(0), torch.zeros(4), atol=1e-6), "by the statistics of the batch"
    assert {name for name, part in encoder.named_modules() if part.training} == {"network.norm", "network.layers.1"}


def test_fine_tuning_updates_the_averages(make_parts: Callable[..., Any]) -> None:
    encoder, _, classifier = make_parts(0)
    before = averages(encoder)
    module: Any = Classify(encoder, classifier, VIEWS, Mock(spec=Optimization), finetune=True, seed=4)
    module.log_dict = Mock()
    module.on_train_epoch_start()
    module.training_step([torch.randint(0, 200, (6, 1, 8, 8)).to(torch.uint8), torch.arange(6) % 3], 0)
    assert not all(torch.equal(old, new) for old, new in zip(before, averages(encoder), strict=True))

"""Batch norms over several GPUs; on a CPU without other processes they compute what plain ones do."""

import copy

import pytest
import torch
from torch import nn

from supcon.encoder import Encoder, make_encoder
from supcon.encoder.freezing import frozen_layers
from supcon.stages.gradient_cache import frozen_averages, in_micro_batches
from supcon.stages.trainer.synced_norms import SyncedNorms

ENCODERS = ["timm:test_efficientnet", "timm:test_resnet", "resnet18", "small-resnet"]
IMAGES = torch.randint(256, (6, 3, 64, 64), generator=torch.Generator().manual_seed(0), dtype=torch.uint8)


def encoder_called(name: str) -> Encoder:
    torch.manual_seed(0)
    return make_encoder(
        name, channels=3, image_size=64, mean=[0.5] * 3, std=[0.2] * 3, width=8, centre_representation=True
    )


def norms(module: nn.Module) -> list[nn.Module]:
    return [part for part in module.modules() if isinstance(part, nn.modules.batchnorm._BatchNorm)]


@pytest.mark.parametrize("name", ENCODERS)
@pytest.mark.parametrize("training", [True, False])
def test_synchronized_norms_compute_the_same(name: str, training: bool) -> None:
    encoder = encoder_called(name).train(training)
    before = copy.deepcopy(encoder)(IMAGES)
    synced = SyncedNorms().apply(encoder)
    assert all(isinstance(norm, nn.SyncBatchNorm) for norm in norms(synced))
    torch.testing.assert_close(synced(IMAGES), before)


@pytest.mark.parametrize("name", ENCODERS)
def test_the_original_norms_come_back_with_what_was_learned(name: str) -> None:
    encoder, plugin = encoder_called(name), SyncedNorms()
    classes = [type(norm) for norm in norms(encoder)]
    plugin.apply(encoder)
    encoder.double().float()  # like a move to another device: buffers are replaced
    encoder.train()(IMAGES)
    encoder.eval()
    learned = {key: value.clone() for key, value in encoder.state_dict().items()}
    represented = encoder(IMAGES)
    assert plugin.revert(encoder) is encoder
    assert [type(norm) for norm in norms(encoder)] == classes
    assert not any(norm.training for norm in norms(encoder))
    for key, value in encoder.state_dict().items():
        assert torch.equal(value, learned[key]), key
    torch.testing.assert_close(encoder(IMAGES), represented)


def test_frozen_norms_stay_frozen_in_synchronized_form() -> None:
    encoder = encoder_called("timm:test_efficientnet").train()
    with frozen_layers(encoder, 1, statistics=True):
        SyncedNorms().apply(encoder)
        for _ in range(2):  # as the k-NN measurement does between two epochs
            encoder.eval()
            encoder.train()
            assert not any(norm.training for norm in norms(encoder.network))
    assert all(norm.training for norm in norms(encoder.network))


def test_micro_batches_and_frozen_averages_take_synchronized_norms() -> None:
    plain, synced = encoder_called("timm:test_efficientnet").train(), encoder_called("timm:test_efficientnet").train()
    SyncedNorms().apply(synced)
    for encoder in (plain, synced):
        in_micro_batches(encoder, IMAGES, 2).square().sum().backward()
    for one, other in zip(plain.parameters(), synced.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad)
    before = {key: value.clone() for key, value in synced.state_dict().items()}
    with frozen_averages(synced):
        synced(IMAGES)
    for key, value in synced.state_dict().items():
        assert torch.equal(value, before[key]), key

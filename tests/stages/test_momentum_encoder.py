from collections.abc import Callable
from typing import Any

import torch

from references.whole_stages import weights
from supcon.stages.momentum_encoder import MomentumEncoder


def images(seed: int) -> torch.Tensor:
    return torch.randint(0, 200, (12, 1, 8, 8), generator=torch.Generator().manual_seed(seed)).to(torch.uint8)


def test_it_starts_as_a_copy_that_is_not_trained(make_parts: Callable[..., Any]) -> None:
    encoder, projection, _ = make_parts(0)
    slow = MomentumEncoder(encoder, projection)
    assert not any(parameter.requires_grad for parameter in slow.parameters())
    assert all(parameter.requires_grad for parameter in encoder.parameters())
    keys = slow(images(0))
    assert not keys.requires_grad
    assert torch.allclose(keys, projection(encoder(images(0))), atol=1e-6)


def test_parameters_follow_as_a_moving_average(make_parts: Callable[..., Any]) -> None:
    encoder, projection, _ = make_parts(0)
    slow = MomentumEncoder(encoder, projection, momentum=0.9)
    expected = [parameter.detach().double() for part in (encoder, projection) for parameter in part.parameters()]
    for step in range(5):
        with torch.no_grad():
            for part in (encoder, projection):
                for parameter in part.parameters():
                    parameter.add_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(step)))
        now = [parameter.detach().double() for part in (encoder, projection) for parameter in part.parameters()]
        expected = [0.9 * average + 0.1 * value for average, value in zip(expected, now, strict=True)]
        slow.follow(encoder, projection)
    found = [*slow.encoder.parameters(), *slow.projection.parameters()]
    for average, reference in zip(found, expected, strict=True):
        assert torch.allclose(average.double(), reference, atol=1e-6)


def test_batch_norm_normalises_by_the_batch_and_keeps_averages_of_its_own(make_parts: Callable[..., Any]) -> None:
    encoder, projection, _ = make_parts(0)
    slow: Any = MomentumEncoder(encoder, projection)
    for seed in range(3):
        encoder(images(seed))
    trained, before = weights(encoder), weights(slow.encoder)
    slow.follow(encoder, projection)
    assert torch.equal(slow.encoder.network.stem[1].running_mean, before["network.stem.1.running_mean"])
    slow.eval()  # as a callback might
    keys = slow(images(7))
    assert torch.allclose(keys, projection(encoder.train()(images(7))), atol=1e-6)
    assert not torch.allclose(keys, projection(encoder.eval()(images(7))), atol=1e-3)
    assert int(slow.encoder.network.stem[1].num_batches_tracked) == 1
    assert int(trained["network.stem.1.num_batches_tracked"]) == 3

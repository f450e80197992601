"""Views, corruptions, losses and optimizers give on a GPU what they give on the CPU."""

from typing import Any, get_args

import pytest
import torch
from torch import Tensor, nn

from gpu.conftest import REAL
from supcon.evaluation import CORRUPTIONS, corrupt
from supcon.losses import MemoryQueue, n_pairs_loss, supcon_loss, triplet_loss
from supcon.stages.optimization.lars import LARS
from supcon.views import ViewsConfig, cutmix, make_view_maker, mixup
from supcon.views.config import AugmentationName

ALMOST = 1e-4
"""Relative and absolute difference of float32 results; 0 on an emulated GPU, which computes on the CPU."""


def assert_same(found: Tensor, expected: Tensor) -> None:
    assert found.device.type != "cpu"
    if REAL:
        torch.testing.assert_close(found.cpu(), expected, rtol=ALMOST, atol=ALMOST)
    else:
        assert torch.equal(found.cpu(), expected)


def assert_same_pixels(found: Tensor, expected: Tensor) -> None:
    """A real GPU rounds a few pixels of another level, or takes them from the neighbour."""
    assert found.device.type != "cpu"
    differ = (found.cpu() != expected).float().mean()
    assert differ <= (0.02 if REAL else 0)


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def pictures(count: int, channels: int, size: int) -> Tensor:
    shape = (count, channels, size, size)
    return torch.randint(0, 256, shape, generator=seeded(), dtype=torch.uint8)


@pytest.mark.parametrize(("channels", "size"), [(3, 32), (1, 28)])
@pytest.mark.parametrize("name", get_args(AugmentationName))
def test_views(name: AugmentationName, channels: int, size: int, reads: list[str] | None) -> None:
    """The draws are made on the CPU, so that a run has the same views on every device; none waits for the GPU."""
    config, images = ViewsConfig(augmentation=name), pictures(6, channels, size)
    on_gpu, on_cpu = (make_view_maker(config, size, channels, (size, size), device) for device in ("cuda", "cpu"))
    assert_same_pixels(on_gpu(images.to("cuda"), seeded()), on_cpu(images, seeded()))
    assert not reads


@pytest.mark.parametrize("mix", [mixup, cutmix])
def test_mixed_images(mix: Any, reads: list[str] | None) -> None:
    images = pictures(8, 3, 16)
    found, expected = (mix(given, generator=seeded()) for given in (images.to("cuda"), images))
    assert_same(found.images, expected.images)
    assert_same(found.partners, expected.partners)
    assert not reads


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_corruptions(name: str) -> None:
    images = pictures(4, 3, 32)
    assert_same_pixels(corrupt(images.to("cuda"), name, 3), corrupt(images, name, 3))


LOSSES: dict[str, dict[str, Any]] = {
    "Eq. 2": {},
    "Eq. 3": {"summation": "in"},
    "one positive": {"denominator": "one_positive"},
    "negatives": {"denominator": "negatives"},
    "cap": {"max_positives": 3, "generator": 0},
    "first view": {"anchors": "first_view"},
    "inner products": {"normalize": False},
    "queue": {"queue": 64},
    "weights": {"pair_weights": True},
    "no labels": {"labels": None},
    "learned temperature": {"temperature": 0.2},
}


def loss_and_gradients(device: str, options: dict[str, Any]) -> list[Tensor]:
    options, count = dict(options), 24
    projections = torch.randn(count, 2, 8, generator=seeded()).to(device).requires_grad_()
    labels = options.pop("labels", torch.arange(count) % 5)
    inputs = [projections]
    if "queue" in options:
        options["queue"] = queue = MemoryQueue(options["queue"], 8).to(device)
        queue.enqueue(torch.randn(20, 2, 8, generator=seeded(1)).to(device), (torch.arange(20) % 5).to(device))
    if "pair_weights" in options:
        options["pair_weights"] = torch.rand(2 * count, 2 * count, generator=seeded(2)).to(device)
    if "generator" in options:
        options["generator"] = seeded(3)
    if "temperature" in options:
        options["temperature"] = torch.tensor(options["temperature"], device=device).requires_grad_()
        inputs.append(options["temperature"])
    loss = supcon_loss(projections, None if labels is None else labels.to(device), **options)
    loss.backward()
    return [loss.detach(), *(given.grad for given in inputs if given.grad is not None)]


@pytest.mark.parametrize("name", LOSSES)
def test_losses_and_their_gradients(name: str, reads: list[str] | None) -> None:
    found = loss_and_gradients("cuda", LOSSES[name])
    assert not reads
    expected = loss_and_gradients("cpu", LOSSES[name])
    assert len(found) == len(expected) >= 2
    for own, other in zip(found, expected, strict=True):
        torch.testing.assert_close(own.cpu(), other, rtol=ALMOST, atol=ALMOST)  # the CPU may take another order


@pytest.mark.parametrize("loss", [n_pairs_loss, triplet_loss])
def test_other_losses(loss: Any, reads: list[str] | None) -> None:
    projections, labels = torch.randn(24, 2, 8, generator=seeded()), torch.arange(24) % 5
    own = projections.to("cuda").requires_grad_()
    value = loss(own, labels.to("cuda"), generator=seeded(1))
    value.backward()
    assert not reads
    torch.testing.assert_close(value.cpu(), loss(projections, labels, generator=seeded(1)), rtol=ALMOST, atol=ALMOST)
    assert own.grad is not None
    assert own.grad.cpu().isfinite().all()


def test_lars(reads: list[str] | None) -> None:
    def trained(device: str) -> Tensor:
        torch.manual_seed(0)
        layer = nn.Linear(6, 4).to(device)
        optimizer = LARS(layer.parameters(), lr=0.1, weight_decay=1e-4)
        for step in range(3):
            layer(torch.full((2, 6), step + 1.0, device=device)).square().sum().backward()
            optimizer.step()
            optimizer.zero_grad()
        return layer.weight.detach()

    found = trained("cuda")
    assert not reads
    assert_same(found, trained("cpu"))

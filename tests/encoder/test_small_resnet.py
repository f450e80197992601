from itertools import pairwise

import pytest
import torch
from torch import nn

from supcon.encoder.small_resnet import ResidualBlock, SmallResNet


def parameters(channels: int, width: int) -> int:
    """Counted by hand: 3x3 convolutions without bias, two numbers a channel for each norm, 1x1 shortcuts."""
    widths = [width, width, 2 * width, 4 * width]
    total = 9 * channels * width + 2 * width
    for before, after in pairwise(widths):
        total += 9 * before * after + 9 * after * after + 4 * after
        total += 0 if before == after else before * after + 2 * after
    return total


@pytest.mark.parametrize(("channels", "width"), [(1, 32), (3, 8), (1, 1)])
def test_parameter_count(channels: int, width: int) -> None:
    assert sum(p.numel() for p in SmallResNet(channels, width).parameters()) == parameters(channels, width)


@pytest.mark.parametrize("size", [1, 4, 7, 8, 28])
def test_any_small_size_works(size: int) -> None:
    network = SmallResNet(1, 4).eval()
    assert network(torch.zeros(2, 1, size, size)).shape == (2, 16)
    assert network.num_features == 16


def test_with_group_norm_an_image_does_not_see_the_others() -> None:
    torch.manual_seed(0)
    network = SmallResNet(1, 8, "group")
    assert not any(isinstance(module, nn.modules.batchnorm._BatchNorm) for module in network.modules())
    assert sum(p.numel() for p in network.parameters()) == parameters(1, 8)
    images = torch.randn(4, 1, 8, 8)
    alone = torch.cat([network(image[None]) for image in images])
    assert torch.allclose(network(images), alone, atol=1e-6)


@pytest.mark.parametrize("width", [1, 4, 6, 12])
def test_group_norm_fits_any_width(width: int) -> None:
    assert SmallResNet(1, width, "group")(torch.zeros(2, 1, 8, 8)).shape == (2, 4 * width)


@pytest.mark.parametrize(("stride", "sizes"), [(1, [16, 16, 8, 4]), (2, [8, 8, 4, 2]), (4, [4, 4, 2, 1])])
def test_the_stride_makes_everything_after_it_smaller(stride: int, sizes: list[int]) -> None:
    network = SmallResNet(1, 4, stride=stride).eval()
    hidden = network.stem(torch.zeros(1, 1, 16, 16))
    found = [hidden.shape[-1]]
    for stage in network.stages:
        hidden = stage(hidden)
        found.append(hidden.shape[-1])
    assert found == sizes


def test_no_pixel_is_passed_over() -> None:
    for stride in (1, 2, 3, 4):
        image = torch.zeros(1, 1, 12, 12, requires_grad=True)
        SmallResNet(1, 4, stride=stride).stem[0](image).sum().backward()
        assert image.grad is not None
        assert (image.grad != 0).all()


def test_later_stages_halve_the_size() -> None:
    network = SmallResNet(1, 4).eval()
    hidden = network.stem(torch.zeros(1, 1, 8, 8))
    sizes = []
    for stage in network.stages:
        hidden = stage(hidden)
        sizes.append((hidden.shape[1], hidden.shape[2]))
    assert sizes == [(4, 8), (8, 4), (16, 2)]


def test_a_block_starts_as_identity() -> None:
    block = ResidualBlock(4, 4, 1)
    x = torch.rand(3, 4, 5, 5)
    assert torch.equal(block(x), x)


def test_a_block_is_two_convolutions_around_a_shortcut() -> None:
    block = ResidualBlock(2, 3, 2).eval()
    nn.init.ones_(block.bn2.weight)
    x = torch.randn(2, 2, 6, 6)
    conv = nn.functional.conv2d
    scale = (1 + block.bn1.eps) ** -0.5  # fresh running averages: mean 0, variance 1
    hidden = (conv(x, block.conv1.weight, stride=2, padding=1) * scale).clamp_min(0)
    straight = conv(hidden, block.conv2.weight, padding=1) * scale
    shortcut = conv(x, block.shortcut[0].weight, stride=2) * scale  # type: ignore[index]
    assert torch.allclose(block(x), (straight + shortcut).clamp_min(0), atol=1e-5)


def test_variance_is_kept_through_fresh_layers() -> None:
    torch.manual_seed(0)
    network = SmallResNet(3, 32)
    for module in network.modules():
        if isinstance(module, nn.Conv2d):
            fan_out = module.out_channels * module.kernel_size[0] * module.kernel_size[1]
            assert module.weight.std().item() == pytest.approx((2 / fan_out) ** 0.5, rel=0.1)

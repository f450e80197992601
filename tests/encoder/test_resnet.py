from typing import Any

import pytest
import timm
import torch
import torchvision
from torch import nn

from supcon.encoder.resnet import resnet


def count(module: nn.Module) -> int:
    return sum(p.numel() for p in module.parameters())


@pytest.mark.parametrize("name", ["resnet18", "resnet50"])
def test_with_the_imagenet_stem_it_is_torchvisions_without_the_classifier(name: str) -> None:
    ours = resnet(name, 3, 224, "imagenet")
    theirs = getattr(torchvision.models, name)(weights=None)
    assert count(ours) == count(theirs) - count(theirs.fc)
    shapes = {key: value.shape for key, value in theirs.state_dict().items() if not key.startswith("fc.")}
    assert {key: value.shape for key, value in ours.state_dict().items()} == shapes


@pytest.mark.parametrize("name", ["resnet18", "resnet50"])
def test_torchvisions_weights_give_torchvisions_features(name: str) -> None:
    torch.manual_seed(0)
    theirs = getattr(torchvision.models, name)(weights=None).eval()
    ours = resnet(name, 3, 64, "imagenet").eval()
    ours.load_state_dict({key: value for key, value in theirs.state_dict().items() if not key.startswith("fc.")})
    theirs.fc = nn.Identity()
    images = torch.randn(2, 3, 64, 64)
    with torch.inference_mode():
        assert torch.allclose(ours(images), theirs(images), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize(
    ("image_size", "stem", "small"),
    [(64, "auto", True), (65, "auto", False), (224, "small", True), (32, "imagenet", False), (8, "auto", True)],
)
def test_the_stem_fits_the_image_size(image_size: int, stem: Any, small: bool) -> None:
    network: Any = resnet("resnet18", 3, image_size, stem)
    assert network.conv1.kernel_size == ((3, 3) if small else (7, 7))
    assert network.conv1.stride == ((1, 1) if small else (2, 2))
    assert isinstance(network.maxpool, nn.Identity if small else nn.MaxPool2d)


@pytest.mark.parametrize(("stem", "size"), [("small", 4), ("imagenet", 1)])
def test_what_a_stem_leaves_of_a_32_pixel_image(stem: Any, size: int) -> None:
    network: Any = resnet("resnet18", 3, 32, stem).eval()
    with torch.inference_mode():
        assert network.forward_features(torch.zeros(1, 3, 32, 32)).shape == (1, 512, size, size)


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("stem", ["small", "imagenet"])
def test_any_number_of_channels(channels: int, stem: Any) -> None:
    network: Any = resnet("resnet18", channels, 32, stem)
    assert network.conv1.weight.shape[1] == channels
    assert count(network) == count(resnet("resnet18", 3, 32, stem)) + (channels - 3) * 64 * (
        9 if stem == "small" else 49
    )


def test_the_small_stem_is_drawn_like_the_other_convolutions() -> None:
    torch.manual_seed(0)
    network: Any = resnet("resnet50", 3, 32, "small")
    assert network.conv1.weight.std().item() == pytest.approx((2 / (64 * 9)) ** 0.5, rel=0.1)
    assert network.conv1.bias is None


@pytest.mark.parametrize(("name", "last"), [("resnet18", "bn2"), ("resnet50", "bn3")])
def test_every_block_starts_as_identity(name: str, last: str) -> None:
    weights = [p for key, p in resnet(name, 3, 32, "auto").named_parameters() if key.endswith(f"{last}.weight")]
    assert len(weights) == (8 if name == "resnet18" else 16)
    assert all((weight == 0).all() for weight in weights)


def test_the_stride_is_on_the_3x3() -> None:
    network: Any = resnet("resnet50", 3, 224, "imagenet")
    assert network.layer2[0].conv1.stride == (1, 1)
    assert network.layer2[0].conv2.stride == (2, 2)


def test_the_width_is_timms() -> None:
    assert resnet("resnet50", 3, 32, "auto").num_features == timm.create_model("resnet50").num_features == 2048

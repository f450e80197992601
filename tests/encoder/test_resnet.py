from typing import Any

import pytest
import timm
import torch
import torchvision
from torch import nn

from supcon.base.errors import RequestError
from supcon.encoder.config import RESNETS
from supcon.encoder.resnet import resnet


def count(module: nn.Module) -> int:
    return sum(p.numel() for p in module.parameters())


# Parameters with a classifier of a thousand classes: torchvision's figures, and timm's for resnet200.
KNOWN = {
    "resnet18": 11_689_512,
    "resnet34": 21_797_672,
    "resnet50": 25_557_032,
    "resnet101": 44_549_160,
    "resnet200": 64_673_832,
}


@pytest.mark.parametrize("name", RESNETS)
def test_it_has_the_known_number_of_parameters_and_outputs(name: str) -> None:
    with torch.device("meta"):  # shapes alone
        network = resnet(name, 3, 224, "imagenet")
        shape = network.eval()(torch.empty(2, 3, 224, 224)).shape
    width = 512 if name in ("resnet18", "resnet34") else 2048
    assert count(network) + 1000 * (width + 1) == KNOWN[name]
    assert shape == (2, width)
    assert network.num_features == width


@pytest.mark.parametrize("name", ["resnet18", "resnet34", "resnet50", "resnet101"])
def test_with_the_imagenet_stem_it_is_torchvisions_without_the_classifier(name: str) -> None:
    with torch.device("meta"):
        ours = resnet(name, 3, 224, "imagenet")
        theirs = getattr(torchvision.models, name)(weights=None)
    assert count(ours) == count(theirs) - count(theirs.fc)
    shapes = {key: value.shape for key, value in theirs.state_dict().items() if not key.startswith("fc.")}
    assert {key: value.shape for key, value in ours.state_dict().items()} == shapes


@pytest.mark.parametrize("stem", ["small", "imagenet"])
def test_with_group_norm_an_image_does_not_see_the_others(stem: Any) -> None:
    torch.manual_seed(0)
    network = resnet("resnet18", 1, 32, stem, norm="group")
    assert not any(isinstance(module, nn.modules.batchnorm._BatchNorm) for module in network.modules())
    assert count(network) == count(resnet("resnet18", 1, 32, stem))
    images = torch.randn(2, 1, 32, 32)
    with torch.inference_mode():
        alone = torch.cat([network(image[None]) for image in images])
        assert torch.allclose(network(images), alone, atol=1e-5)


def test_published_weights_do_not_fit_the_small_stem() -> None:
    with pytest.raises(
        RequestError, match=r"resnet50 have the imagenet stem, and inputs of 32 pixels get the small one"
    ):
        resnet("resnet50", 3, 32, "auto", pretrained=True)


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
    with torch.device("meta"):
        network: Any = resnet("resnet50", 3, 224, "imagenet")
    assert network.layer2[0].conv1.stride == (1, 1)
    assert network.layer2[0].conv2.stride == (2, 2)


def test_the_width_is_timms() -> None:
    assert resnet("resnet50", 3, 32, "auto").num_features == timm.create_model("resnet50").num_features == 2048


@pytest.mark.parametrize(("multiplier", "millions"), [(2, 93.91), (4, 375.38)])
def test_a_wider_resnet_50_is_simclrs(multiplier: int, millions: float) -> None:
    """SimCLR (Chen et al., 2020, Table 1): 94 and 375 million parameters, 4096 and 8192 outputs."""
    with torch.device("meta"):
        network: Any = resnet("resnet50", 3, 224, "imagenet", width_multiplier=multiplier)
        shape = network.eval()(torch.empty(2, 3, 224, 224)).shape
    assert count(network) / 1e6 == pytest.approx(millions, abs=0.01)
    assert shape == (2, 2048 * multiplier)
    convolutions = [part for part in network.modules() if isinstance(part, nn.Conv2d)]
    plain = [part for part in timm.create_model("resnet50", num_classes=0).modules() if isinstance(part, nn.Conv2d)]
    for wide, usual in zip(convolutions, plain, strict=True):
        assert wide.out_channels == multiplier * usual.out_channels
        assert wide.in_channels == (3 if usual.in_channels == 3 else multiplier * usual.in_channels)


@pytest.mark.parametrize("norm", ["batch", "group"])
@pytest.mark.parametrize("stem", ["small", "imagenet"])
def test_a_wider_resnet_18_trains_with_either_stem(stem: Any, norm: Any) -> None:
    torch.manual_seed(0)
    network: Any = resnet("resnet18", 1, 32, stem, norm=norm, width_multiplier=2)
    network(torch.randn(2, 1, 32, 32)).square().mean().backward()
    assert network.conv1.out_channels == 128
    assert all(parameter.grad is not None for parameter in network.parameters())

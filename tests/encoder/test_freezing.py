import pytest
import torch
from torch import Tensor, nn

from supcon.base.errors import RequestError
from supcon.encoder.encoder import Encoder, make_encoder
from supcon.encoder.freezing import first_layers, frozen_layers


def names(encoder: Encoder, count: int) -> set[str]:
    """The first parts of the names of the parameters in the first layers."""
    found = {id(parameter) for parameter in first_layers(encoder, count)}
    return {name.split(".")[0] for name, value in encoder.network.named_parameters() if id(value) in found}


def make(name: str) -> Encoder:
    return make_encoder(name, channels=3, image_size=32, mean=(0.5,) * 3, std=(0.25,) * 3, width=8)


def test_layers_are_counted_from_the_input() -> None:
    encoder = make("resnet18")
    assert names(encoder, 0) == set()
    assert names(encoder, 1) == {"conv1", "bn1"}
    assert names(encoder, 3) == {"conv1", "bn1", "layer1", "layer2"}


def test_the_small_network_has_a_stem_and_three_stages() -> None:
    encoder = make("small-resnet")
    stem = sum(value.numel() for name, value in encoder.network.named_parameters() if name.startswith("stem"))
    assert sum(parameter.numel() for parameter in first_layers(encoder, 1)) == stem
    assert names(encoder, 3) == {"stem", "stages"}


@pytest.mark.parametrize("count", [4, 9])
def test_something_must_be_left_to_train(count: int) -> None:
    with pytest.raises(RequestError, match=rf"^stage1\.frozen_layers must leave .* 4 layers to train, got {count}\.$"):
        first_layers(make("small-resnet"), count)


def state(encoder: Encoder) -> dict[str, Tensor]:
    return {name: value.clone() for name, value in encoder.network.state_dict().items() if "tracked" not in name}


@pytest.mark.parametrize("measured", [False, True])
@pytest.mark.parametrize("statistics", [False, True])
def test_a_step_leaves_frozen_layers_and_statistics_as_they_are(statistics: bool, measured: bool) -> None:
    torch.manual_seed(0)
    encoder = make("small-resnet")
    for norm in encoder.modules():
        if isinstance(norm, nn.BatchNorm2d):
            nn.init.ones_(norm.weight)  # a zero would keep the gradient from what comes before
    before = state(encoder)
    with frozen_layers(encoder, 2, statistics=statistics):
        if measured:  # as by the k-NN measurement during training
            encoder.eval()
            encoder.train()
        parameters = [parameter for parameter in encoder.parameters() if parameter.requires_grad]
        encoder(torch.randint(256, (4, 3, 32, 32), dtype=torch.uint8))[:, 0].sum().backward()
        torch.optim.SGD(parameters, lr=0.1).step()
    changed = {name for name, value in state(encoder).items() if not torch.equal(value, before[name])}
    assert not [name for name in changed if name.startswith(("stem", "stages.0"))]
    assert {name for name in changed if name.endswith(("weight", "bias"))}
    assert any("running" in name for name in changed) is not statistics


def test_everything_can_be_trained_again_afterwards() -> None:
    encoder = make("small-resnet")
    with pytest.raises(ZeroDivisionError), frozen_layers(encoder, 3, statistics=True):
        _ = 1 / 0
    assert all(parameter.requires_grad for parameter in encoder.parameters())
    assert all(module.training for module in encoder.modules())

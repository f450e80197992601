import pytest

from supcon.encoder.encoder import Encoder, make_encoder
from supcon.encoder.layers import first_layers
from supcon.base.errors import RequestError


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
    stem = sum(value.numel() for value in encoder.network.stem.parameters())  # type: ignore[union-attr]
    assert sum(parameter.numel() for parameter in first_layers(encoder, 1)) == stem
    assert names(encoder, 3) == {"stem", "stages"}


@pytest.mark.parametrize("count", [4, 9])
def test_something_must_be_left_to_train(count: int) -> None:
    with pytest.raises(RequestError, match=rf"^stage1\.frozen_layers must leave .* 4 layers to train, got {count}\.$"):
        first_layers(make("small-resnet"), count)

import torch
from torch import nn

from supcon.encoder import copy_weights, mix_weights
from supcon.encoder.encoder import Encoder, make_encoder


def make() -> Encoder:
    return make_encoder(
        "small-resnet", channels=1, image_size=8, mean=(0.5,), std=(0.5,), width=8, centre_representation=True
    )


def test_weights_and_averages_lie_between_before_and_after() -> None:
    encoder = make()
    start = copy_weights(encoder)
    for value in encoder.state_dict().values():
        value.add_(1)
    after = copy_weights(encoder)
    mix_weights(encoder, start, 0.25)
    for name, found in encoder.state_dict().items():
        whole = not found.is_floating_point() or name.startswith("centre.")
        expected = after[name] if whole else 0.25 * start[name] + 0.75 * after[name]
        assert torch.allclose(found, expected), name


def test_a_copy_does_not_follow() -> None:
    layer = nn.Linear(2, 1)
    start = copy_weights(layer)
    nn.init.constant_(layer.weight, 7.0)
    assert not (start["weight"] == 7).any()

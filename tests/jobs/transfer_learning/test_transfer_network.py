import torch

from supcon.encoder.encoder import Encoder, make_encoder
from supcon.jobs.transfer_learning.transfer_network import Transferred, with_channels


def encoder(channels: int = 1) -> Encoder:
    torch.manual_seed(0)
    return make_encoder(
        "small-resnet", channels=channels, image_size=8, mean=[0.3] * channels, std=[0.4] * channels, width=8
    )


def test_grey_for_colour_and_the_reverse() -> None:
    grey = torch.randint(0, 256, (2, 1, 8, 8), dtype=torch.uint8)
    assert torch.equal(with_channels(grey, 3)[:, 2:], grey)
    assert torch.equal(with_channels(with_channels(grey, 3), 1), grey)
    assert Transferred(encoder(3), 4, normalize=False)(grey).shape == (2, 4)

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from supcon.encoder.encoder import Encoder, make_encoder


class Flat(nn.Module):
    """Gives its inputs back, so that a test sees what a network would see."""

    num_features = 12

    def forward(self, x: Tensor) -> Tensor:
        return x.flatten(1)


def noise(batch: int = 5, channels: int = 3, size: int = 2) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randint(256, (batch, channels, size, size), generator=generator, dtype=torch.uint8)


def small(**changes: Any) -> Encoder:
    torch.manual_seed(0)
    values: dict[str, Any] = {"channels": 3, "image_size": 8, "mean": (0.5,) * 3, "std": (0.25,) * 3, "width": 4}
    return make_encoder("small-resnet", **(values | changes))


def test_the_network_sees_centred_and_scaled_pixels() -> None:
    mean, std = (0.1, 0.2, 0.3), (0.5, 0.25, 1.0)
    found = Encoder(Flat(), mean, std, normalize_representation=False)(noise())
    column = torch.tensor([mean, std]).view(2, 3, 1, 1)
    expected = (noise().double() / 255 - column[0]) / column[1]
    assert torch.allclose(found, expected.flatten(1).float(), atol=1e-6)


def test_representations_have_unit_norm_only_when_asked() -> None:
    for normalize in (True, False):
        encoder = small(normalize_representation=normalize).eval()
        norms = encoder(noise(size=8)).norm(dim=1)
        assert torch.allclose(norms, torch.ones(5)) == normalize


def test_normalising_changes_lengths_and_no_directions() -> None:
    raw, unit = (small(normalize_representation=flag).eval()(noise(size=8)) for flag in (False, True))
    assert torch.allclose(raw / raw.norm(dim=1, keepdim=True), unit, atol=1e-6)


def test_statistics_travel_with_the_weights() -> None:
    saved = small(mean=(0.1, 0.2, 0.3), std=(0.4, 0.5, 0.6)).eval()
    other = small().eval()
    other.load_state_dict(saved.state_dict())
    assert {"mean", "std"} <= set(saved.state_dict())
    assert torch.equal(other(noise(size=8)), saved(noise(size=8)))


def test_statistics_are_not_trained() -> None:
    assert not {"mean", "std"} & {name for name, _ in small().named_parameters()}


@pytest.mark.parametrize(
    ("name", "width", "expected"),
    [("small-resnet", 4, 16), ("small-resnet", 32, 128), ("resnet18", 32, 512), ("resnet50", 32, 2048)],
)
def test_width_is_what_comes_out(name: Any, width: int, expected: int) -> None:
    encoder = make_encoder(name, channels=1, image_size=8, mean=(0.5,), std=(0.5,), width=width).eval()
    assert encoder.width == expected
    with torch.inference_mode():
        assert encoder(noise(2, 1, 8)).shape == (2, expected)


def test_the_seed_decides_the_weights() -> None:
    first, again = small().state_dict(), small().state_dict()
    assert all(torch.equal(first[name], again[name]) for name in first)
    torch.manual_seed(1)
    other = make_encoder("small-resnet", channels=3, image_size=8, mean=(0.5,) * 3, std=(0.25,) * 3, width=4)
    assert not torch.equal(first["network.stem.0.weight"], other.state_dict()["network.stem.0.weight"])


@pytest.mark.parametrize(("width", "last"), [(8, True), (4, False)])
def test_channels_last_changes_the_layout_and_not_the_numbers(width: int, last: bool) -> None:
    encoder, usual = small(width=width).eval(), small(width=width).eval()
    assert encoder.memory_format == (torch.channels_last if last else torch.contiguous_format)
    usual.network.to(memory_format=torch.contiguous_format)
    inputs = (noise(size=8).float() - 127.5) / 63.75
    expected = nn.functional.normalize(usual.network(inputs), dim=1)
    assert torch.allclose(encoder(noise(size=8)), expected, atol=1e-5)


def test_whole_numbers_will_do_as_statistics() -> None:
    exact, whole = (small(mean=(m,) * 3, std=(s,) * 3).eval()(noise(size=8)) for m, s in ((0.0, 1.0), (0, 1)))
    assert torch.equal(exact, whole)


def test_all_equal_images_give_all_equal_representations() -> None:
    one = small().eval()(noise(1, size=8).expand(4, -1, -1, -1))
    assert torch.allclose(one, one[:1].expand(4, -1), atol=1e-6)


def test_gradients_reach_every_weight() -> None:
    encoder = small()
    # A block that starts as identity passes no gradient to its first convolution until its second norm has moved.
    for name, parameter in encoder.named_parameters():
        if name.endswith("bn2.weight"):
            nn.init.ones_(parameter)
    encoder(noise(size=8))[:, 0].square().sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in encoder.parameters())


def test_centred_representations_differ_from_the_first_step_on() -> None:
    images = noise(batch=32, size=8)
    plain, centred = (small(centre_representation=flag)(images).detach() for flag in (False, True))
    similarities = [float((rows @ rows.T).mean()) for rows in (plain, centred)]
    assert similarities[0] > 0.5  # behind a ReLU all rows share a direction, whatever the weights
    assert abs(similarities[1]) < 0.1


def test_the_centre_is_saved_and_not_trained() -> None:
    encoder = small(centre_representation=True)
    assert "centre.running_mean" in encoder.state_dict()
    assert not any(name.startswith("centre") for name, _ in encoder.named_parameters())


class Counted(nn.Module):
    """A network that records how many images it gets at once."""

    num_features = 3

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(3)
        self.counts: list[int] = []

    def forward(self, images: Tensor) -> Tensor:
        self.counts.append(len(images))
        return images.mean((2, 3))


@pytest.mark.parametrize(("side", "at_once"), [(224, 16), (64, 16), (32, 64)])
def test_inference_on_a_cpu_takes_few_images_at_once(side: int, at_once: int) -> None:
    network, threads = Counted(), torch.get_num_threads()
    encoder = Encoder(network, mean=(0.5,) * 3, std=(0.25,) * 3).eval()
    count = threads * at_once + 5
    images = torch.randint(0, 256, (count, 3, side, side), dtype=torch.uint8)
    with torch.no_grad():
        rows = encoder(images)
    assert network.counts == [threads * at_once, 5]
    network.counts.clear()
    assert torch.equal(encoder(images), rows), "with gradients, in one piece: the same"
    with torch.no_grad():
        assert encoder(images[:0]).shape == (0, 3)
        encoder.train()(images)
        network.train(False).norm.train()
        encoder.training = False
        encoder(images)
    assert network.counts == [count, 0, count, count], "a batch norm needs the statistics of the whole batch"

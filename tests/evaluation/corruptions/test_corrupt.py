"""What holds for every corruption, whatever it does."""

from importlib import import_module
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from supcon.base.errors import RequestError
from supcon.evaluation import CORRUPTIONS, EXTRA_CORRUPTIONS, corrupt
from supcon.evaluation.corruptions.corrupt import check_batch

ALL = CORRUPTIONS + EXTRA_CORRUPTIONS
RANDOM = {
    "gaussian_noise", "shot_noise", "impulse_noise", "glass_blur", "motion_blur", "snow", "frost", "fog",
    "elastic_transform", "speckle_noise", "spatter",
}  # fmt: skip


def photographs(count: int, side: int, channels: int = 3) -> Tensor:
    generator = torch.Generator().manual_seed(1)
    coarse, fine = (torch.rand(count, channels, cells, cells, generator=generator) for cells in (4, 10))
    mixed = sum(F.interpolate(cells, size=(side, side), mode="bilinear") for cells in (coarse, fine)) / 2
    assert isinstance(mixed, Tensor)
    return (mixed * 255).to(torch.uint8)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("name", ALL)
def test_severity_zero_is_the_image(name: str, channels: int) -> None:
    images = photographs(3, 16, channels)
    found = corrupt(images, name, 0)
    assert torch.equal(found, images)
    assert found.data_ptr() != images.data_ptr()


LEAVES_AS_IT_IS = {
    ("saturate", 8, 1), ("saturate", 8, 5),  # these are grey
    ("zoom_blur", 8, 1),  # six hundredths of eight pixels are none
    ("spatter", 8, 1),  # no drop falls on two images that small
}  # fmt: skip


@pytest.mark.parametrize("severity", [1, 5])
@pytest.mark.parametrize(("side", "channels"), [(8, 1), (32, 3), (70, 3)])
@pytest.mark.parametrize("name", ALL)
def test_bytes_of_the_same_shape_that_are_not_the_image(name: str, side: int, channels: int, severity: int) -> None:
    images = photographs(2, side, channels)
    found = corrupt(images, name, severity)
    assert found.shape == images.shape
    assert found.dtype == torch.uint8
    assert torch.equal(found, images) == ((name, side, severity) in LEAVES_AS_IT_IS)


@pytest.mark.parametrize("name", ALL)
def test_the_set_does_not_depend_on_the_batch(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    images = photographs(7, 12)
    whole = corrupt(images, name, 4, seed=3)
    indices = torch.arange(7)
    parts = [corrupt(images[part], name, 4, seed=3, indices=part) for part in indices.split(3)]
    assert torch.equal(torch.cat(parts), whole)
    shuffled = torch.randperm(7, generator=torch.Generator().manual_seed(0))
    moved = corrupt(images[shuffled], name, 4, seed=3, indices=shuffled)
    assert torch.equal(moved, whole[shuffled])
    monkeypatch.setattr(import_module("supcon.evaluation.corruptions.corrupt"), "_VALUES_AT_ONCE", 2 * 3 * 12 * 12)
    assert torch.equal(corrupt(images, name, 4, seed=3), whole)


@pytest.mark.parametrize("name", ALL)
def test_only_random_ones_change_with_seed_and_index(name: str) -> None:
    images = photographs(1, 16).expand(2, -1, -1, -1).contiguous()
    found = corrupt(images, name, 3)
    assert torch.equal(found, corrupt(images, name, 3))
    assert torch.equal(found[0], found[1]) == (name not in RANDOM)
    assert torch.equal(found, corrupt(images, name, 3, seed=1)) == (name not in RANDOM)


def test_corruptions_with_one_seed_do_not_share_their_noise() -> None:
    grey = torch.full((1, 1, 32, 32), 128, dtype=torch.uint8)
    noise = [corrupt(grey, name, 5).double().flatten() - 128 for name in ("gaussian_noise", "speckle_noise")]
    assert torch.corrcoef(torch.stack(noise))[0, 1].abs() < 0.15


def distances(name: str, side: int) -> list[float]:
    """Mean absolute difference from the clean images, at each severity; for frost how little they resemble them."""
    images = photographs(24 if side <= 64 else 3, side)
    clean = images.double().flatten(1)
    found = [corrupt(images, name, severity).double().flatten(1) for severity in range(1, 6)]
    if name == "frost":
        return [1 - F.cosine_similarity(c - c.mean(1, True), clean - clean.mean(1, True)).mean().item() for c in found]
    return [(changed - clean).abs().mean().item() for changed in found]


NOT_MONOTONE = {
    # Less saturation at the first two severities, more at the others.
    ("saturate", 32), ("saturate", 96),
    # Water at the first three severities, mud at the others.
    ("spatter", 32), ("spatter", 96),
    # A wide move at the first severities, a rough one at the others.
    ("elastic_transform", 32), ("elastic_transform", 96),
    # More rounds come with a weaker blur, or fewer of them with a wider reach.
    ("glass_blur", 32), ("glass_blur", 96),
}  # fmt: skip
"""Where the published parameters themselves do not go one way."""

ONE_WAY = [(name, side) for name in ALL for side in (32, 96) if (name, side) not in NOT_MONOTONE]


@pytest.mark.parametrize(("name", "side"), ONE_WAY)
def test_the_distance_from_the_clean_image_grows_with_the_severity(name: str, side: int) -> None:
    found = distances(name, side)
    assert found == sorted(found)
    assert found[0] > 0


@pytest.mark.parametrize("name", ["glass_blur", "elastic_transform"])
def test_the_last_severity_of_a_large_image_is_not_the_least(name: str) -> None:
    found = distances(name, 96)
    assert found[4] > min(found)


def test_glass_of_small_images_goes_by_rounds_first() -> None:
    found = distances("glass_blur", 32)
    assert max(found[:3]) < min(found[3:])


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(ALL), st.integers(1, 5), st.integers(4, 40), st.integers(4, 40), st.sampled_from([1, 3]),
    st.sampled_from([0, 255]),
)  # fmt: skip
def test_any_size_and_flat_images(name: str, severity: int, height: int, width: int, channels: int, level: int) -> None:
    images = torch.full((1, channels, height, width), level, dtype=torch.uint8)
    assert corrupt(images, name, severity).shape == images.shape


@pytest.mark.parametrize("name", ALL)
def test_no_images_are_no_images(name: str) -> None:
    assert corrupt(torch.zeros(0, 3, 8, 8, dtype=torch.uint8), name, 2).shape == (0, 3, 8, 8)


@pytest.mark.parametrize(
    ("shape", "name", "severity", "message"),
    [
        ((1, 3, 8, 8), "rain", 1, "There is no corruption 'rain'; choose one of gaussian_noise, shot_noise, "),
        ((1, 3, 8, 8), "fog", 6, "The severity must be an integer from 0 to 5, got 6."),
        ((1, 3, 8, 8), "fog", -1, "The severity must be an integer from 0 to 5, got -1."),
        ((1, 4, 8, 8), "fog", 1, "Images must have 1 or 3 channels to be corrupted, got 4; convert them first."),
        (
            (1, 3, 8, 3),
            "fog",
            1,
            "Images must be at least 4 pixels high and wide to be corrupted, got 8x3; give larger ",
        ),
    ],
)
def test_what_cannot_be_done_is_said(shape: tuple[int, ...], name: str, severity: int, message: str) -> None:
    with pytest.raises(RequestError) as caught:
        corrupt(torch.zeros(shape, dtype=torch.uint8), name, severity)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("images", "kind"),
    [
        (torch.zeros(3, 8, 8, dtype=torch.uint8), "torch.uint8 [3, 8, 8]"),
        (torch.zeros(1, 3, 8, 8), "torch.float32 [1, 3, 8, 8]"),
        (np.zeros((1, 3, 8, 8), dtype=np.uint8), "ndarray"),
    ],
)
def test_what_is_no_batch_is_refused(images: Any, kind: str) -> None:
    with pytest.raises(RequestError) as caught:
        check_batch(images)  # the tests check the types of what `corrupt` is called with
    assert str(caught.value).startswith("Images must be a uint8 tensor [batch, channel, height, width]")
    assert f"got {kind}; a single image becomes a batch with image[None]" in str(caught.value)

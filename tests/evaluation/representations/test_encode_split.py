import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torchvision.transforms.v2.functional import center_crop

from supcon.base.errors import RequestError
from supcon.data.image_data import Split
from supcon.evaluation import centre_crop, encode_split


def noise(images: int, height: int, width: int, channels: int = 2) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randint(256, (images, channels, height, width), generator=generator, dtype=torch.uint8)


@given(st.integers(1, 9), st.integers(0, 4), st.integers(0, 4))
def test_the_crop_is_torchvisions_where_the_middle_is_unambiguous(size: int, more_high: int, more_wide: int) -> None:
    images = noise(2, size + 2 * more_high, size + 2 * more_wide)
    assert torch.equal(centre_crop(images, size), center_crop(images, [size, size]))


def test_an_odd_margin_is_larger_below_and_right() -> None:
    images = torch.arange(16, dtype=torch.uint8).view(1, 1, 4, 4)
    assert centre_crop(images, 3).flatten().tolist() == [0, 1, 2, 4, 5, 6, 8, 9, 10]


def test_a_crop_larger_than_the_image_is_refused() -> None:
    with pytest.raises(
        RequestError, match=r"^A square of 9 pixels cannot be cropped from images of 10x8; give larger ones\.$"
    ):
        centre_crop(noise(1, 10, 8), 9)


def means(images: Tensor) -> Tensor:
    return images.double().mean(dim=(2, 3))


@pytest.mark.parametrize("batch_size", [1, 3, 7, 512])
def test_every_image_is_encoded_in_order(batch_size: int) -> None:
    split = Split(images=noise(7, 6, 6), labels=torch.zeros(7, dtype=torch.int64))
    done: list[int] = []

    def advance(steps: int) -> None:
        done.append(steps)

    found = encode_split(means, split, 4, batch_size=batch_size, advance=advance)
    assert torch.allclose(found, means(split.images[:, :, 1:5, 1:5]).float())
    assert found.dtype == torch.float32
    assert done == [len(part) for part in torch.arange(7).split(batch_size)]


def test_no_gradient_is_kept() -> None:
    layer = torch.nn.Linear(2, 3)
    split = Split(images=noise(4, 2, 2), labels=torch.zeros(4, dtype=torch.int64))
    assert not encode_split(lambda images: layer(means(images).float()), split, 2).requires_grad

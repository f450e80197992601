import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from supcon.data import Layout, decode_all
from supcon.evaluation import centre_crop
from supcon.serving.export.pillow_resize import resize_and_crop


def through_pillow(pixels: np.ndarray, stored_size: int, image_size: int) -> torch.Tensor:
    image = Image.fromarray(pixels.transpose(1, 2, 0) if len(pixels) == 3 else pixels[0])
    layout = Layout(image_size=image_size, stored_size=stored_size, channels=pixels.shape[0])
    return centre_crop(decode_all([image], layout), image_size)


@given(
    st.integers(1, 90), st.floats(1, 2), st.booleans(), st.integers(4, 40), st.integers(0, 9), st.sampled_from([1, 3])
)
def test_every_pixel_is_that_of_pillow(
    shorter: int, aspect: float, tall: bool, stored: int, margin: int, channels: int
) -> None:
    shape = (int(shorter * aspect), shorter) if tall else (shorter, int(shorter * aspect))
    pixels = np.random.default_rng(shorter).integers(0, 256, (channels, *shape), dtype=np.uint8)
    size = max(1, stored - margin)
    found = resize_and_crop(torch.from_numpy(pixels)[None], stored, size)
    assert torch.equal(found, through_pillow(pixels, stored, size).double())


@given(st.integers(1, 40), st.integers(1, 200), st.integers(4, 40))
def test_a_panorama_differs_by_one_level_at_most(height: int, width: int, stored: int) -> None:
    # Pillow 13 resizes some panoramas vertically first, earlier versions none.
    pixels = np.random.default_rng(height * width).integers(0, 256, (1, height, width), dtype=np.uint8)
    for image in (pixels, pixels.transpose(0, 2, 1)):
        found = resize_and_crop(torch.from_numpy(image.copy())[None], stored, stored)
        assert (found - through_pillow(image, stored, stored)).abs().max() <= 1


@pytest.mark.parametrize("shape", [(480, 640), (1200, 601), (301, 599), (256, 256), (64, 64), (150, 300)])
def test_photographs_at_the_usual_size(shape: tuple[int, int]) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (3, *shape), dtype=np.uint8)
    found = resize_and_crop(torch.from_numpy(pixels)[None], 256, 224)
    assert torch.equal(found, through_pillow(pixels, 256, 224).double())

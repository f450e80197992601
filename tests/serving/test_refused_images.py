"""Images and settings that a loaded model refuses, each with one sentence."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from supcon.base.errors import RequestError
from supcon.data import Layout
from supcon.serving import load
from supcon.serving.image_inputs import each_image, prepared_batches


@pytest.mark.parametrize(
    "images",
    [None, 3, b"png", {"a": 1}, [[1, 2], [3]], [None], np.zeros((1, 1, 0, 5), np.uint8), np.zeros((2, 0, 8), np.uint8)],
)
def test_what_is_no_image_is_refused_with_a_sentence(images: Any) -> None:
    with pytest.raises(RequestError, match=r"^Images must "):
        each_image(images)


def test_a_generator_is_a_list_of_images() -> None:
    assert len(each_image(Image.new("L", (8, 8)) for _ in range(3))) == 3


@pytest.mark.parametrize("size", [0, -1, 2.5, "4"])
def test_a_batch_of_no_images_is_refused(size: Any) -> None:
    layout = Layout(image_size=8, stored_size=8, channels=1)
    with pytest.raises(RequestError, match="batch_size must be a whole number of at least 1"):
        list(prepared_batches(np.zeros((2, 1, 8, 8), np.uint8), layout, size))


@pytest.mark.parametrize("device", ["cuda:99", "abacus", "", "meta:x"])
def test_a_device_that_is_not_there_is_refused(tmp_path: Path, device: str) -> None:
    with pytest.raises(RequestError, match=r"^device '.*' cannot be used \("):
        load(tmp_path, device)

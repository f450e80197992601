"""Images and settings that a loaded model refuses, each with one sentence."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from supcon.base.errors import RequestError
from supcon.data import Layout
from supcon.serving import load
from supcon.serving.image_inputs import each_image, prepared_batches


@pytest.mark.parametrize(
    "images",
    [
        *(None, 3, b"png", {"a": 1}, [[1, 2], [3]], [None], memoryview(bytes(64)).cast("B", (8, 8))),
        *(np.zeros(shape, np.uint8) for shape in ((1, 1, 0, 5), (2, 0, 8), (0, 8), (8, 0), (0, 0))),
        [np.zeros((0, 8), np.uint8)],
        Image.new("L", (0, 8)),
        [Image.new("RGB", (8, 0))],
        torch.zeros((3, 8, 8), dtype=torch.bfloat16),
        torch.zeros((3, 8, 8)).to_sparse(),
        torch.zeros((3, 8, 8), device="meta"),
    ],
)
def test_what_is_no_image_is_refused_with_a_sentence(images: Any) -> None:
    with pytest.raises(RequestError, match=r"^Images must "):
        each_image(images)


def test_a_generator_is_a_list_of_images() -> None:
    assert len(each_image(Image.new("L", (8, 8)) for _ in range(3))) == 3


@pytest.mark.parametrize("path", ["", [""], "x" * 300, Path("x" * 300), "a\0b", "~nobody-of-that-name/x.png"])
def test_what_is_no_path_is_refused_with_a_sentence(path: Any) -> None:
    """An empty one would be the current folder."""
    with pytest.raises(RequestError, match=r"^An image (is|has) "):
        each_image(path)


@pytest.mark.parametrize("size", [0, -1, 2.5, "4", True, np.float64(2)])
def test_a_batch_of_no_images_is_refused(size: Any) -> None:
    layout = Layout(image_size=8, stored_size=8, channels=1)
    with pytest.raises(RequestError, match="batch_size must be a whole number of at least 1"):
        list(prepared_batches(np.zeros((2, 1, 8, 8), np.uint8), layout, size))


def test_a_batch_size_of_numpy_is_a_number() -> None:
    layout = Layout(image_size=8, stored_size=8, channels=1)
    assert [len(batch) for batch in prepared_batches(np.zeros((3, 1, 8, 8), np.uint8), layout, np.int64(2))] == [2, 1]


@pytest.mark.parametrize("source", [None, 3, [], b"run", "", "x" * 300, "~nobody-of-that-name/y"])
def test_what_is_no_model_is_refused_with_a_sentence(source: Any) -> None:
    with pytest.raises(RequestError, match=r"^source (must be a path, got|is|has) "):
        load(source)


@pytest.mark.parametrize("device", ["cuda:99", "abacus", "", "meta:x", "meta"])
def test_a_device_that_is_not_there_is_refused(tmp_path: Path, device: str) -> None:
    with pytest.raises(RequestError, match=r"^device '.*' cannot be used \("):
        load(tmp_path, device)

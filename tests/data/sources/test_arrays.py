from pathlib import Path

import numpy as np
import pytest
import torch

from supcon.base.errors import RequestError
from supcon.data.config import DataConfig
from supcon.data.load import load_data
from supcon.data.sources.arrays import keep_arrays, kept_arrays

PIXELS = np.random.default_rng(0).integers(0, 256, (20, 6, 8, 3), dtype=np.uint8)
LABELS = np.arange(20) % 2


def test_arrays_are_found_again_by_their_content(own_cache: Path) -> None:
    spec = keep_arrays((PIXELS, LABELS))
    assert keep_arrays((torch.from_numpy(PIXELS), torch.from_numpy(LABELS))) == spec
    assert keep_arrays((PIXELS.transpose(0, 3, 1, 2), LABELS.tolist())) == spec
    assert keep_arrays((255 - PIXELS, LABELS)) != spec
    found = kept_arrays(spec.removeprefix("arrays:"))
    assert isinstance(found.images, np.ndarray)
    np.testing.assert_array_equal(found.images, PIXELS.transpose(0, 3, 1, 2))
    assert not list(own_cache.rglob("*.partial"))


def test_the_middle_square_of_arrays_becomes_images() -> None:
    data = load_data(DataConfig(spec=keep_arrays((PIXELS, LABELS))))
    assert (data.channels, data.image_size, sum(data.counts.values())) == (3, 6, 20)
    whole = {PIXELS[row, :, 1:7].transpose(2, 0, 1).tobytes() for row in range(20)}
    assert {image.numpy().tobytes() for image in data.train.images[:]} <= whole


def test_grey_images_names_splits_and_images_without_a_label() -> None:
    grey = PIXELS[..., 0]
    names = ["cat", "dog"] * 10
    spec = keep_arrays({"train": (grey[:14], [*names[:12], "", ""]), "test": (grey[14:], names[14:])})
    data = load_data(DataConfig(spec=spec))
    assert data.class_names == ("cat", "dog")
    assert data.counts == {"train": 10, "validation": 2, "test": 6, "unlabelled": 2}
    assert data.channels == 1
    assert data.pretraining.labels[-2:].tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ((PIXELS / 255.0, LABELS), "Arrays of images must be uint8 (0 to 255), got float64; convert them."),
        ((PIXELS[..., :2], LABELS), "with 1 or 3 channels, got the shape (20, 6, 8, 2)."),
        ((PIXELS, LABELS[:3]), "There are 20 images but 3 labels in train; give one label per image."),
        (
            (PIXELS, LABELS / 2),
            "Labels must be a 1-d array of integers or names, one per image, got float64 of shape (20,).",
        ),
        ((PIXELS, LABELS * 0), "The array of labels has 1 class(es), but at least two are needed; add labels."),
        (
            (torch.zeros((20, 3, 8, 8), dtype=torch.bfloat16), LABELS),
            "Images must be an array of numpy or what becomes",
        ),
        ((torch.zeros((20, 3, 8, 8), device="meta"), LABELS), "Images must be an array of numpy or what becomes"),
        (([[1, 2], [3]], LABELS), "Images must be an array of numpy or what becomes"),
        ((PIXELS, [[1, 2], [3]]), "Labels must be an array of numpy or what becomes"),
        (
            {"dev": (PIXELS, LABELS)},
            "Arrays must be (images, labels), or a dict of these with the keys train, val and test",
        ),
        (
            {"train": (PIXELS, LABELS), "test": (PIXELS[:, 1:], LABELS)},
            "All images need the same channels, height and width, got",
        ),
    ],
)
def test_arrays_that_are_not_right(arrays: object, sentence: str) -> None:
    with pytest.raises(RequestError) as caught:
        keep_arrays(arrays)  # type: ignore[arg-type]
    assert sentence in str(caught.value)


def test_arrays_that_are_gone() -> None:
    with pytest.raises(RequestError, match=r"The arrays of this run are not in .*/arrays/00; train on them again"):
        load_data(DataConfig(spec="arrays:00"))

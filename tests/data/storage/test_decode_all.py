"""Many files at once: order, progress, and all unreadable ones named."""

from pathlib import Path
from typing import Any

import pytest
import torch
from PIL import Image

from references.damaged_images import damaged
from supcon.base.errors import RequestError
from supcon.data.storage.decode import Layout
from supcon.data.storage.decode_all import decode_all

COLOUR = Layout(image_size=8, stored_size=8, channels=3)


def save(path: Path, image: Image.Image, **options: Any) -> Path:
    image.save(path, **options)
    return path


def test_all_files_in_order_with_progress(tmp_path: Path) -> None:
    paths = [save(tmp_path / f"{n}.png", Image.new("RGB", (8, 8), (n, 2 * n, 3 * n))) for n in range(40)]
    calls: list[None] = []
    images = decode_all(paths, COLOUR, lambda: calls.append(None))
    assert images.dtype == torch.uint8
    assert images.is_contiguous()
    assert images[:, :, 0, 0].tolist() == [[n, 2 * n, 3 * n] for n in range(40)]
    assert len(calls) == 40


def test_no_files_give_an_empty_batch() -> None:
    assert decode_all([], COLOUR).shape == (0, 3, 8, 8)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("cut", "image file is truncated|broken data stream"),
        ("text", "not an image"),
        ("empty", "not an image"),
        ("gone", "No such file or directory"),
        ("folder", "Is a directory"),
    ],
)
def test_unreadable_files_are_named_with_the_reason(tmp_path: Path, name: str, reason: str) -> None:
    paths = damaged(tmp_path)
    start = rf"^1 of 2 files cannot be read as images: \S+/{name}\.jpg"
    with pytest.raises(RequestError, match=rf"{start} \(.*({reason}).*\);") as caught:
        decode_all([paths["whole"], paths[name]], COLOUR)
    assert str(caught.value).endswith("; repair or remove them.")
    assert "\n" not in str(caught.value)


def test_five_unreadable_files_are_named_and_the_rest_counted(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.png" for number in range(9)]
    for path in paths:
        path.write_text("no image")
    with pytest.raises(RequestError, match=r"^9 of 9 files .*/0\.png .*/4\.png \(not an image\); and 4 more; repair"):
        decode_all(paths, COLOUR)


def test_an_opened_image_that_cannot_be_read_is_named_by_its_place(tmp_path: Path) -> None:
    with Image.open(damaged(tmp_path)["cut"]) as image, pytest.raises(RequestError, match="image 1 "):
        decode_all([Image.new("RGB", (8, 8)), image], COLOUR)

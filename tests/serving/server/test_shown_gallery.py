import base64
import io

import numpy as np
import pytest
from PIL import Image

from supcon.serving import Gallery, ShownGallery

GALLERY = Gallery(
    representations=np.eye(3, dtype=np.float32),
    names=("a/0.png", "b/1.png", "gone\udcff.png"),
    labels=("a", "b", ""),
    splits=("train",) * 3,
    key="",
)


def picture(row: int) -> Image.Image:
    if row == 2:
        raise FileNotFoundError
    return Image.new("RGB", ((20, 10), (400, 300))[row], (200, 0, 0))


def shown(url: object) -> Image.Image:
    assert isinstance(url, str)
    return Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))


def test_the_nearest_come_first_with_their_similarity() -> None:
    queries = np.array([[0.6, 0.8, 0], [0, 0, 5]], dtype=np.float32)
    first, second = ShownGallery(GALLERY, picture).nearest(queries, 2, thumbnails=False)
    assert [(entry["path"], entry["label"]) for entry in first] == [("b/1.png", "b"), ("a/0.png", "a")]
    assert [entry["similarity"] for entry in first] == pytest.approx([0.8, 0.6], abs=1e-6)
    assert second[0]["path"] == "gone\N{REPLACEMENT CHARACTER}.png"
    assert "thumbnail" not in first[0]


def test_thumbnails_are_small_and_missing_files_have_none() -> None:
    (found,) = ShownGallery(GALLERY, picture).nearest(np.array([[3, 2, 1]], dtype=np.float32), 3, thumbnails=True)
    small, large = shown(found[0]["thumbnail"]), shown(found[1]["thumbnail"])
    assert (small.format, small.size) == ("PNG", (20, 10))
    assert (large.format, large.size) == ("JPEG", (160, 120))
    assert "thumbnail" not in found[2]

"""Pictures as data URIs."""

import base64
import io

import pytest
from PIL import Image

from supcon.report.plots.picture_uri import picture_uri


@pytest.mark.parametrize(
    ("size", "kind", "shown"),
    [
        ((8, 8), "png", (8, 8)),
        ((64, 20), "png", (64, 20)),
        ((65, 20), "jpeg", (65, 20)),
        ((400, 200), "jpeg", (128, 64)),
    ],
)
def test_small_pictures_are_lossless_and_large_ones_reduced(
    size: tuple[int, int], kind: str, shown: tuple[int, int]
) -> None:
    head, _, content = picture_uri(Image.new("RGB", size, "#336699")).partition(",")
    assert head == f"data:image/{kind};base64"
    with Image.open(io.BytesIO(base64.b64decode(content))) as image:
        assert (image.format, image.size) == (kind.upper(), shown)

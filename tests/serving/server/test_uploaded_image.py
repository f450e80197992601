"""Decoding of uploaded images."""

import io

import numpy as np
import pytest
import torch
from PIL import Image

from supcon.data import Layout, decode
from supcon.evaluation import centre_crop
from supcon.serving.server.uploaded_image import UnreadableImageError, decode_upload

LAYOUT = Layout(image_size=14, stored_size=16, channels=3)
PICTURE = Image.fromarray(np.random.default_rng(0).integers(0, 256, (40, 30, 3), dtype=np.uint8))


def encoded(kind: str) -> bytes:
    buffer = io.BytesIO()
    PICTURE.save(buffer, kind)
    return buffer.getvalue()


def test_an_upload_is_decoded_like_a_file() -> None:
    found = decode_upload(encoded("PNG"), LAYOUT, 1e6)
    expected = torch.from_numpy(decode(PICTURE, LAYOUT).transpose(2, 0, 1).copy())
    assert torch.equal(found, centre_crop(expected[None], 14)[0])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not an image of a format that is accepted"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "not an image of a format that is accepted"),
        (encoded("PNG")[:300], "truncated|broken|cannot"),
    ],
)
def test_what_cannot_be_read_gives_a_reason(content: bytes, reason: str) -> None:
    with pytest.raises(UnreadableImageError, match=reason):
        decode_upload(content, LAYOUT, 1e6)


def test_too_many_pixels_are_refused_before_decoding() -> None:
    with pytest.raises(UnreadableImageError, match=r"the image has 30x40 pixels, more than 0\.001 million"):
        decode_upload(encoded("JPEG"), LAYOUT, 1000)

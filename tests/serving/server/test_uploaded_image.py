import io
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from supcon.data import Layout, decode_all
from supcon.evaluation import centre_crop
from supcon.serving.server.uploaded_image import UnreadableImageError, decode_upload

LAYOUT = Layout(image_size=14, stored_size=16, channels=3)


def encoded(kind: str, mode: str = "RGB", size: tuple[int, int] = (90, 70)) -> bytes:
    pixels = np.random.default_rng(0).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).convert(mode).save(file, kind)
    return file.getvalue()


@pytest.mark.parametrize(
    ("kind", "mode"),
    [("JPEG", "RGB"), ("JPEG", "L"), ("PNG", "RGBA"), ("PNG", "P"), ("WEBP", "RGB"), ("BMP", "RGB"), ("GIF", "P"),
     ("TIFF", "CMYK"), ("PPM", "RGB")],
)  # fmt: skip
def test_an_upload_is_decoded_like_its_file(kind: str, mode: str, tmp_path: Path) -> None:
    content = encoded(kind, mode)
    (tmp_path / "file").write_bytes(content)
    expected = centre_crop(decode_all([tmp_path / "file"], LAYOUT), 14)[0]
    assert torch.equal(decode_upload(content, LAYOUT, 1e6), expected)


def test_too_many_pixels_are_refused_before_they_are_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        import_module("supcon.serving.server.uploaded_image"), "decode", lambda *_: pytest.fail("it was decoded")
    )
    with pytest.raises(UnreadableImageError, match=r"^the image has 90x70 pixels, more than 0.006 million$"):
        decode_upload(encoded("PNG"), LAYOUT, 6000)


@pytest.mark.parametrize("content", [b"", b"text", encoded("PNG")[:-40], encoded("JPEG")[:60], encoded("ICNS")])
def test_what_cannot_be_read_says_why(content: bytes) -> None:
    with pytest.raises(UnreadableImageError) as caught:
        decode_upload(content, LAYOUT, 1e6)
    assert str(caught.value)
    assert "\n" not in str(caught.value)

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from references.damaged_images import damaged
from supcon.base.errors import RequestError
from supcon.data.storage.decode import Layout, choose_layout, decode
from supcon.data.storage.decode_all import decode_all

COLOUR = Layout(image_size=8, stored_size=8, channels=3)
GREY = Layout(image_size=8, stored_size=8, channels=1)
RAMP = np.arange(64, dtype=np.uint8).reshape(8, 8) * 4


def save(path: Path, image: Image.Image, **options: Any) -> Path:
    image.save(path, **options)
    return path


def test_lossless_colour_is_kept_bit_for_bit(tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (8, 8, 3), dtype=np.uint8)
    path = save(tmp_path / "a.png", Image.fromarray(pixels))
    np.testing.assert_array_equal(decode(path, COLOUR), pixels)
    np.testing.assert_array_equal(decode(str(path), COLOUR), pixels)
    np.testing.assert_array_equal(decode(Image.fromarray(pixels), COLOUR), pixels)


@pytest.mark.parametrize("suffix", ["png", "jpg", "bmp", "gif", "webp", "tif", "ppm"])
def test_every_usual_format_gives_the_same_flat_colour(tmp_path: Path, suffix: str) -> None:
    path = save(tmp_path / f"a.{suffix}", Image.new("RGB", (16, 16), (200, 30, 90)))
    assert np.abs(decode(path, COLOUR).astype(int) - (200, 30, 90)).max() <= 3


def test_grey_file_in_a_colour_set_has_three_equal_channels(tmp_path: Path) -> None:
    path = save(tmp_path / "a.png", Image.fromarray(RAMP))
    np.testing.assert_array_equal(decode(path, COLOUR), np.repeat(RAMP[..., None], 3, axis=2))
    np.testing.assert_array_equal(decode(path, GREY)[..., 0], RAMP)


def test_sixteen_bits_keep_their_range(tmp_path: Path) -> None:
    path = save(tmp_path / "a.png", Image.fromarray(RAMP.astype(np.uint16) * 257))
    np.testing.assert_array_equal(decode(path, GREY)[..., 0], RAMP)


def test_dark_sixteen_bit_image_stays_dark(tmp_path: Path) -> None:
    path = save(tmp_path / "a.png", Image.fromarray(RAMP.astype(np.uint16)))
    assert decode(path, GREY).max() == 1


@pytest.mark.parametrize("white", [1.0, 255.0, 65535.0])
def test_float_images_of_any_usual_range(tmp_path: Path, white: float) -> None:
    path = save(tmp_path / "a.tif", Image.fromarray((RAMP / 255 * white).astype(np.float32)))
    np.testing.assert_array_equal(decode(path, GREY)[..., 0], RAMP)


def test_float_image_with_a_hole_is_black_there(tmp_path: Path) -> None:
    values = (RAMP / 255).astype(np.float32)
    values[3, 3], values[4, 4] = np.nan, -5.0
    found = decode(save(tmp_path / "a.tif", Image.fromarray(values)), GREY)[..., 0]
    assert found[3, 3] == found[4, 4] == 0
    assert found[7, 7] == RAMP[7, 7]


def test_thirty_two_bit_integers_with_eight_bit_values(tmp_path: Path) -> None:
    path = save(tmp_path / "a.tif", Image.fromarray(RAMP.astype(np.int32)))
    np.testing.assert_array_equal(decode(path, GREY)[..., 0], RAMP)


def test_cmyk_jpeg(tmp_path: Path) -> None:
    path = save(tmp_path / "a.jpg", Image.new("CMYK", (8, 8), (255, 0, 0, 0)))
    assert np.abs(decode(path, COLOUR).astype(int) - (0, 255, 255)).max() <= 3


def test_palette_with_transparency_gives_no_warning(tmp_path: Path) -> None:
    image = Image.new("P", (8, 8), 1)
    image.putpalette([9, 9, 9, 10, 200, 30])
    path = save(tmp_path / "a.png", image, transparency=bytes([0, 128]))
    np.testing.assert_array_equal(decode(path, COLOUR), np.full((8, 8, 3), (10, 200, 30)))


@pytest.mark.parametrize(("mode", "colour"), [("LA", (90, 255)), ("RGBA", (90, 90, 90, 7)), ("1", 1)])
def test_other_modes(tmp_path: Path, mode: str, colour: Any) -> None:
    found = decode(save(tmp_path / "a.png", Image.new(mode, (8, 8), colour)), COLOUR)
    np.testing.assert_array_equal(found, np.full((8, 8, 3), 255 if mode == "1" else 90))


TURNED = {
    1: lambda a: a,
    2: lambda a: a[:, ::-1],
    3: lambda a: a[::-1, ::-1],
    4: lambda a: a[::-1],
    5: lambda a: a.T,
    6: lambda a: np.rot90(a, -1),
    7: lambda a: a[::-1, ::-1].T,
    8: lambda a: np.rot90(a),
}


@pytest.mark.parametrize("orientation", TURNED)
def test_images_are_turned_as_their_camera_says(tmp_path: Path, orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    path = save(tmp_path / "a.png", Image.fromarray(RAMP), exif=exif)
    np.testing.assert_array_equal(decode(path, GREY)[..., 0], TURNED[orientation](RAMP))


@pytest.mark.parametrize("size", [(32, 16), (16, 32), (24, 24)])
def test_the_middle_square_is_kept(tmp_path: Path, size: tuple[int, int]) -> None:
    width, height = size
    pixels = np.zeros((height, width), dtype=np.uint8)
    middle = min(size)
    top, left = (height - middle) // 2, (width - middle) // 2
    pixels[top : top + middle, left : left + middle] = 200
    found = decode(save(tmp_path / "a.png", Image.fromarray(pixels)), GREY)[..., 0]
    assert (found[1:-1, 1:-1] == 200).all()
    assert found.min() > 150  # the filter of the resize reaches a little over the edge


def test_small_images_are_enlarged(tmp_path: Path) -> None:
    path = save(tmp_path / "a.png", Image.new("L", (3, 2), 77))
    assert decode(path, GREY).tolist() == [[[77]] * 8] * 8


def test_an_image_of_absurd_size_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save(tmp_path / "a.png", Image.new("L", (40, 40)))
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    with pytest.raises(RequestError, match="decompression bomb"):
        decode_all([path], GREY)


def test_errors_that_only_one_format_knows_are_named_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("Failed to decode frame 0: Truncated data")  # what Pillow says of a cut AVIF file

    monkeypatch.setattr(Image, "open", fail)
    (tmp_path / "a.avif").touch()
    with pytest.raises(RequestError, match=r"a\.avif \(Failed to decode frame 0: Truncated data\); repair"):
        decode_all([tmp_path / "a.avif"], COLOUR)


def _encoded(format_name: str) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(np.random.default_rng(0).integers(0, 256, (16, 16, 3), np.uint8)).save(buffer, format_name)
    return buffer.getvalue()


_FILES = {name: _encoded(name) for name in ("PNG", "JPEG", "GIF", "BMP", "WEBP", "PPM")}


@pytest.mark.filterwarnings("ignore::UserWarning")  # Pillow's own words about odd metadata
@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_damage_gives_an_image_or_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content = bytearray(_FILES[data.draw(st.sampled_from(sorted(_FILES)))])
    for _ in range(data.draw(st.integers(0, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    content = content[: data.draw(st.integers(0, len(content)))]
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(content)
    message = ""
    try:
        shape = decode_all([path], COLOUR).shape
    except RequestError as error:
        message = str(error)
    assert "1 of 1 files cannot be read as images" in message if message else shape == (1, 3, 8, 8)


# The layout of a set
def written(folder: Path, sizes: list[tuple[int, int]], mode: str = "RGB") -> list[Path]:
    return [save(folder / f"{mode}{n}.png", Image.new(mode, size)) for n, size in enumerate(sizes)]


@pytest.mark.parametrize(
    ("sizes", "asked", "expected"),
    [
        ([(8, 8)], None, (8, 8)),
        ([(32, 48), (64, 32), (32, 32)], None, (32, 32)),
        ([(10, 10), (20, 20), (30, 30)], None, (20, 20)),
        ([(300, 400)], None, (224, 256)),
        ([(256, 256)], None, (224, 256)),
        ([(255, 255)], None, (224, 224)),
        ([(64, 64)], 32, (32, 37)),
        ([(36, 36)], 32, (32, 32)),
        ([(8, 8)], 32, (32, 32)),
    ],
)
def test_sizes_follow_the_files(
    tmp_path: Path, sizes: list[tuple[int, int]], asked: int | None, expected: tuple[int, int]
) -> None:
    layout = choose_layout(written(tmp_path, sizes), asked)
    assert (layout.image_size, layout.stored_size) == expected


def test_one_colour_file_makes_a_colour_set(tmp_path: Path) -> None:
    greys = [path for mode in ("L", "1", "LA", "I;16") for path in written(tmp_path, [(8, 8)], mode)]
    assert choose_layout(greys, None).channels == 1
    assert choose_layout([*greys, *written(tmp_path, [(8, 8)])], None).channels == 3


def test_headers_are_sampled_over_the_whole_list(tmp_path: Path) -> None:
    grey, colour = written(tmp_path, [(8, 8)], "L"), written(tmp_path, [(8, 8)])
    assert choose_layout(grey * 5000 + colour * 50, None).channels == 3


def test_unreadable_headers_are_left_to_decoding(tmp_path: Path) -> None:
    bad = damaged(tmp_path)
    assert choose_layout([bad["text"], bad["gone"], bad["whole"]], None).image_size == 64


def test_a_set_without_any_image_is_refused(tmp_path: Path) -> None:
    text = damaged(tmp_path)["text"]
    with pytest.raises(RequestError, match=rf"^No file could be read as an image, for example {text}; give a folder"):
        choose_layout([text, text], None)


def test_shrinking_averages_instead_of_skipping(tmp_path: Path) -> None:
    checks = np.indices((64, 64)).sum(0) % 2 * 255
    path = save(tmp_path / "a.png", Image.fromarray(checks.astype(np.uint8)))
    inner = decode(path, GREY)[1:-1, 1:-1]
    assert np.abs(inner.astype(int) - 127).max() <= 4

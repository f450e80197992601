import base64
import io
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from supcon.report import Outputs, RunResults
from supcon.report.plots.thumbnails import LARGEST_PNG, SIDES, make_sprite, sheet


def with_thumbnails(outputs: Outputs, count: int, *shape: int) -> Outputs:
    generator = np.random.default_rng(0)
    pixels = generator.integers(0, 256, (count, *shape), dtype=np.uint8)
    return replace(outputs, thumbnails=pixels, thumbnail_index=generator.permutation(400)[:count])


def decode(uri: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(uri.split(",")[1])))


@pytest.mark.parametrize(("count", "shape"), [(1, (8, 8, 1)), (2, (5, 7, 3)), (50, (8, 8, 1)), (11, (16, 9, 3))])
def test_every_image_is_where_the_page_looks(
    make_run: Callable[..., RunResults], count: int, shape: tuple[int, int, int]
) -> None:
    outputs = with_thumbnails(make_run(3).outputs, count, *shape)
    sprite = make_sprite(outputs)
    drawn = np.asarray(decode(sprite.uri)).reshape(sprite.rows * shape[0], sprite.columns * shape[1], shape[2])
    assert sprite.ratio == shape[1] / shape[0]
    for thumbnail, image in zip(outputs.thumbnails, outputs.thumbnail_index.tolist(), strict=True):
        position = sprite.position(image)
        assert position is not None
        # CSS: x % of (picture − box), the picture being `columns` boxes wide.
        x, y = (float(part.rstrip("%")) / 100 for part in position.split())
        left, top = round(x * (sprite.columns - 1)) * shape[1], round(y * (sprite.rows - 1)) * shape[0]
        np.testing.assert_array_equal(drawn[top : top + shape[0], left : left + shape[1]], thumbnail)


def test_an_image_without_a_thumbnail(make_run: Callable[..., RunResults]) -> None:
    outputs = replace(make_run(3).outputs, thumbnails=np.zeros((1, 8, 8, 1), np.uint8), thumbnail_index=np.array([7]))
    assert make_sprite(outputs).position(8) is None


def test_no_thumbnails_at_all(make_run: Callable[..., RunResults]) -> None:
    sprite = make_sprite(with_thumbnails(make_run(3).outputs, 0, 8, 8, 3))
    assert (sprite.uri, sprite.cells) == ("", {})


def test_large_photographs_become_a_small_webp(make_run: Callable[..., RunResults]) -> None:
    sprite = make_sprite(with_thumbnails(make_run(3).outputs, 100, 100, 200, 3))
    drawn = decode(sprite.uri)
    assert sprite.uri.startswith("data:image/webp")
    assert drawn.size == (10 * SIDES[0], 10 * SIDES[0] // 2)
    assert not sprite.pixelated
    assert make_sprite(with_thumbnails(make_run(3).outputs, 50, 8, 8, 1)).uri.startswith("data:image/png")
    assert len(sprite.uri) < 3 * LARGEST_PNG


def test_channels_that_are_no_colours_are_shown_by_their_mean(make_run: Callable[..., RunResults]) -> None:
    pixels = np.zeros((1, 4, 4, 2), np.uint8)
    pixels[..., 0], pixels[..., 1] = 100, 50
    outputs = replace(make_run(3).outputs, thumbnails=pixels, thumbnail_index=np.array([0]))
    assert np.unique(np.asarray(decode(make_sprite(outputs).uri))).tolist() == [75]


def test_a_sheet_keeps_to_its_limit_by_smaller_pictures() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (400, 64, 64, 3), dtype=np.uint8)
    large, small = sheet(pixels, limit=10_000_000), sheet(pixels, limit=300_000)
    assert decode(large.uri).size == (20 * SIDES[0], 20 * SIDES[0])
    assert decode(small.uri).size < decode(large.uri).size
    assert len(base64.b64decode(small.uri.split(",")[1])) <= 300_000
    assert (small.columns, small.rows) == (20, 20)

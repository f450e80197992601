"""Decodes an image to one mode and size, with EXIF rotation applied."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from supcon.base.bounded_reading import open_regular
from supcon.base.errors import RequestError
from supcon.data.sources.encoded_images import EncodedImages, ImageSource

_GREY_MODES = {"1", "L", "LA", "La", "I", "I;16", "I;16B", "I;16L", "I;16N", "F"}
_LARGEST_INPUT = 224
_SAMPLE = 512
_LONGEST = 2.0
"""Longest stored side, as a multiple of the shorter one; of longer images, such as panoramas, the centre is stored."""
_NEARLY_SQUARE, _FEW = 1.05, 0.01
"""Images up to this aspect ratio count as square; and the largest share of others in a set stored as squares."""
SIXTEEN_BITS = 65535.0
"""White of 16-bit images."""
_PNG = b"\x89PNG\r\n\x1a\n"
"""How a PNG file begins."""
_RESAMPLING = {"bilinear": Image.Resampling.BILINEAR, "bicubic": Image.Resampling.BICUBIC}


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How images are stored: the encoder's input size, the stored size that views crop from, and the channels."""

    image_size: int
    stored_size: int
    """Length of the shorter side of stored images."""
    channels: int
    aspect: float = 1.0
    """Mean ratio of longer to shorter side. 1: all images are stored as centre squares; above: with their own aspect
    ratio, at most 2, so that crops are taken from the whole image."""
    resampling: Literal["bilinear", "bicubic"] = "bilinear"

    @property
    def whole(self) -> bool:
        """Whether images are stored with their own aspect ratios."""
        return self.aspect > 1

    @property
    def image_bytes(self) -> int:
        """Mean number of bytes of a decoded image."""
        return round(self.channels * self.stored_size**2 * self.aspect)


def choose_layout(sources: EncodedImages | Sequence[ImageSource], image_size: int | None) -> Layout:
    """The layout that fits the files: their median size up to 224 pixels, grey only if every sampled file is grey.

    Images larger than the input are stored 8/7 as large (as in the usual 256 for 224), so that crops have room.
    """
    step = max(1, len(sources) // _SAMPLE)
    headers = [header for row in range(0, len(sources), step) if (header := _header(sources[row])) is not None]
    if not headers:
        example = sources.where(0) if isinstance(sources, EncodedImages) else sources[0]
        raise RequestError(f"No file could be read as an image, for example {example}; give a folder of image files.")
    side = int(np.median([min(shape) for shape, _ in headers]))
    size = image_size or min(side, _LARGEST_INPUT)
    stored = round(size * 8 / 7) if side >= round(size * 8 / 7) else size
    channels = 1 if all(grey for _, grey in headers) else 3
    return Layout(image_size=size, stored_size=stored, channels=channels, aspect=_aspect([s for s, _ in headers]))


def _aspect(shapes: Sequence[tuple[int, int]]) -> float:
    """The mean aspect ratio; 1 if nearly all images are square, since equal squares are faster to read."""
    aspects = [min(max(shape) / min(shape), _LONGEST) for shape in shapes]
    oblong = sum(aspect > _NEARLY_SQUARE for aspect in aspects)
    return float(np.mean(aspects)) if oblong > _FEW * len(aspects) else 1.0


def _header(source: ImageSource) -> tuple[tuple[int, int], bool] | None:
    try:
        with _opened(source) as image:
            return image.size, image.mode in _GREY_MODES
    except Exception:
        return None  # decoding reads every file and reports the unreadable ones


def decode(source: ImageSource, layout: Layout) -> NDArray[np.uint8]:
    """Decodes one image to [height, width, channel]: EXIF rotation, shorter side resized to `stored_size`.

    The whole image if the layout keeps aspect ratios, otherwise its centre square.
    """
    _check_sums(source)
    with _opened(source) as file:
        _shrink_while_decoding(file, layout)
        image = _eight_bits(_upright(file)).convert("L" if layout.channels == 1 else "RGB")
    width, height = (_stored_side(side, min(image.size), layout.stored_size) for side in image.size)
    if max(image.size) > _LONGEST * min(image.size):
        image = ImageOps.fit(image, (width, height), method=_RESAMPLING[layout.resampling])
    elif image.size != (width, height):
        image = image.resize((width, height), _RESAMPLING[layout.resampling])
    pixels = np.asarray(image, dtype=np.uint8).reshape(height, width, layout.channels)
    return pixels if layout.whole else middle_square(pixels.transpose(2, 0, 1)).transpose(1, 2, 0)


def picture(pixels: NDArray[np.uint8]) -> Image.Image:
    """An array [channel, height, width] of 1 or 3 channels as a Pillow image."""
    return Image.fromarray(np.ascontiguousarray(pixels[0] if len(pixels) == 1 else pixels.transpose(1, 2, 0)))


def _stored_side(side: int, shorter: int, stored: int) -> int:
    return round(stored * min(side / shorter, _LONGEST))


def middle_square(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The centre square of an image [channel, height, width]."""
    height, width = pixels.shape[1:]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    return pixels[:, top : top + side, left : left + side]


@contextmanager
def _opened(source: ImageSource) -> Iterator[Image.Image]:
    if isinstance(source, Image.Image):
        yield source
        return
    if isinstance(source, BytesIO):
        source.seek(0)
        with Image.open(source) as image:
            yield image
        return
    with open_regular(source) as file, Image.open(file) as image:
        yield image


def _check_sums(source: ImageSource) -> None:
    """Compares the checksums of a PNG; while it decodes, Pillow does not look at those of the pixels."""
    if isinstance(source, Image.Image):
        return
    if isinstance(source, BytesIO):
        start = bytes(source.getbuffer()[:8])
    else:
        with open_regular(source) as file:
            start = file.read(8)
    if start == _PNG:
        with _opened(source) as image:
            image.verify()


def _shrink_while_decoding(image: Image.Image, layout: Layout) -> None:
    """Lets a JPEG be decoded at 1/2, 1/4 or 1/8 scale, as long as it stays twice as large as the stored size."""
    if image.format == "JPEG" and min(image.size) >= 4 * layout.stored_size:
        scale = 2 * layout.stored_size / min(image.size)
        image.draft(None, (int(image.width * scale), int(image.height * scale)))


def _upright(image: Image.Image) -> Image.Image:
    # exif_transpose takes as long as decoding a small JPEG, so it is skipped for files without EXIF and XMP.
    if image.format == "JPEG" and not {"exif", "xmp"} & set(image.info):
        return image
    return ImageOps.exif_transpose(image)


def _eight_bits(image: Image.Image) -> Image.Image:
    """Scales 16-bit, 32-bit and float greys to 8 bits; Pillow's conversion would clip them to white."""
    if image.mode == "P":
        return image.convert("RGBA")  # Pillow warns about palettes with transparency otherwise
    if not image.mode.startswith(("I", "F")):
        return image
    values = np.nan_to_num(np.asarray(image, dtype=np.float32))
    return Image.fromarray(np.rint(np.clip(values * (255 / _white(values, image.mode)), 0, 255)).astype(np.uint8))


def sixteen_bit_range(source: ImageSource) -> tuple[int, int] | None:
    """Smallest and largest value of an image that is read as 16 bits; None for other images and unreadable ones."""
    try:
        with _opened(source) as image:
            if not image.mode.startswith(("I", "F")):
                return None
            values = np.nan_to_num(np.asarray(image, dtype=np.float32))
            deep = _white(values, image.mode) == SIXTEEN_BITS
            return (int(values.min()), int(values.max())) if deep else None
    except Exception:
        return None  # decoding reads every file and reports the unreadable ones


def _white(values: NDArray[np.float32], mode: str) -> float:
    """The value of white: 65535 for 16 bits; guessed from the largest value for 32-bit integers and floats."""
    if mode.startswith("I;16") or values.max() > 255:
        return SIXTEEN_BITS
    return 1.0 if mode == "F" and values.max() <= 1 else 255.0


def reason(error: Exception) -> str:
    """Why an image cannot be read, as a short text."""
    if isinstance(error, UnidentifiedImageError):
        return "not an image"
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def describe_bad(bad: Sequence[tuple[str, str]], total: int, advice: str = "repair or remove them") -> str:
    """An error message about unreadable files: the first five with their reasons, and how many more."""
    shown = "; ".join(f"{name} ({why})" for name, why in bad[:5])
    more = f"; and {len(bad) - 5} more" if len(bad) > 5 else ""
    return f"{len(bad)} of {total} files cannot be read as images: {shown}{more}; {advice}."

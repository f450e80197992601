"""Decodes an uploaded file, which may not be an image."""

import io

import torch
from PIL import Image, UnidentifiedImageError
from torch import Tensor

from supcon.data import Layout, decode
from supcon.evaluation import centre_crop

FORMATS = ("JPEG", "PNG", "WEBP", "BMP", "GIF", "TIFF", "PPM")
"""What is decoded. Pillow knows more formats, some of which start other programs (EPS) or are rarely tested."""


class UnreadableImageError(ValueError):
    """An upload that is no image, is damaged, or is too large; the message says which."""


def decode_upload(content: bytes, layout: Layout, most_pixels: float) -> Tensor:
    """The encoder's input of one image, uint8 [channel, image_size, image_size].

    It is the same as that of a file with this content. The number of pixels is checked before anything is decoded.
    """
    try:
        with Image.open(io.BytesIO(content), formats=FORMATS) as image:
            if image.width * image.height > most_pixels:
                raise UnreadableImageError(
                    f"the image has {image.width}x{image.height} pixels, more than {most_pixels / 1e6:g} million"
                )
            pixels = decode(image, layout)
    except UnreadableImageError:
        raise
    except UnidentifiedImageError as error:
        raise UnreadableImageError(f"not an image of a format that is accepted ({', '.join(FORMATS)})") from error
    except Exception as error:  # Pillow's formats raise many exception types
        raise UnreadableImageError(" ".join(str(error).split()) or type(error).__name__) from error
    return centre_crop(torch.from_numpy(pixels.transpose(2, 0, 1).copy())[None], layout.image_size)[0]

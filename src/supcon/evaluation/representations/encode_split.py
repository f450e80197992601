"""Representations of whole splits, computed in batches."""

from collections.abc import Callable

import torch
from jaxtyping import UInt8
from torch import Tensor

from supcon.base.errors import RequestError
from supcon.base.shapes import Images, Representations
from supcon.data import Split, ordered_loader

Encode = Callable[[Images], Representations]


def centre_crop(images: Images, size: int) -> UInt8[Tensor, "batch channel {size} {size}"]:
    """The centre square of side `size`: the encoder's input if images are stored larger.

    >>> centre_crop(torch.arange(9, dtype=torch.uint8).view(1, 1, 3, 3), 1).item()
    4
    """
    height, width = images.shape[-2:]
    if size > min(height, width):
        raise RequestError(
            f"A square of {size} pixels cannot be cropped from images of {height}x{width}; give larger ones."
        )
    top, left = (height - size) // 2, (width - size) // 2
    return images[..., top : top + size, left : left + size]


def fitting_batch(image_size: int, device: torch.device | str = "cpu") -> int:
    """Images that are encoded at once: at most 512, and at most a million pixels, on a GPU four million.

    More are not faster on a CPU, and take more memory than training: 83 images of 224 pixels 1.6 GB, 20 images 0.4 GB
    (EfficientNet-Lite2).

    >>> [fitting_batch(size) for size in (32, 96, 224)], fitting_batch(224, "cuda")
    ([512, 113, 20], 83)
    """
    pixels = 2**20 if torch.device(device).type == "cpu" else 2**22
    return max(1, min(512, pixels // image_size**2))


@torch.inference_mode()
def encode_split(
    encode: Encode,
    split: Split,
    image_size: int,
    *,
    batch_size: int | None = None,
    device: torch.device | str = "cpu",
    advance: Callable[..., None] = lambda **_: None,
) -> Tensor:
    """Encodes every image of the split, in order, to float32 on the CPU; calls `advance(steps=n)` after each batch."""
    parts = []
    for images, _ in ordered_loader(split, batch_size or fitting_batch(image_size, device)):
        parts.append(encode(centre_crop(images, image_size).to(device)).float().cpu())
        advance(steps=len(images))
    return torch.cat(parts)

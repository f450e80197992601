"""Digital corruptions: pixelation and JPEG compression."""

from functools import lru_cache
from io import BytesIO

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor

from supcon.evaluation.corruptions.levels import Levels


def pixelate(images: Levels, left: float) -> Levels:
    """Downsizes to a fraction of the side by box averages, upsizes by repeating pixels; rounds after every axis."""
    height, width = images.shape[-2:]
    low, narrow = max(1, int(height * left)), max(1, int(width * left))
    small = (images @ box_matrix(width, narrow).T.to(images.device)).add(0.5).floor()
    small = (box_matrix(height, low).to(images.device) @ small).add(0.5).floor()
    return box_matrix(low, height).to(images.device) @ small @ box_matrix(narrow, width).T.to(images.device)


@lru_cache(maxsize=64)
def box_matrix(size: int, new: int) -> Float[Tensor, "{new} {size}"]:
    """The weights of pixels in Pillow's boxes, computed by downsizing the identity matrix with Pillow."""
    identity = Image.fromarray(np.eye(size, dtype=np.float32))
    return torch.from_numpy(np.array(identity.resize((new, size), Image.Resampling.BOX)).T.copy())


def jpeg_compression(images: Levels, quality: int) -> Levels:
    """Encodes and decodes with Pillow's JPEG, which subsamples the colour by two along each axis."""
    stored = [_through_jpeg(image, quality) for image in images.to("cpu", torch.uint8).permute(0, 2, 3, 1).numpy()]
    return torch.from_numpy(np.stack(stored)).view(len(images), *images.shape[2:], -1).permute(0, 3, 1, 2).to(images)


def _through_jpeg(image: NDArray[np.uint8], quality: int) -> NDArray[np.uint8]:
    file = BytesIO()
    Image.fromarray(image[..., 0] if image.shape[2] == 1 else image).save(file, "JPEG", quality=quality)
    return np.asarray(Image.open(file))

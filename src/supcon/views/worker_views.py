"""Makes views of one image at a time, in the loader's workers, where the image is decoded."""

import torch
from PIL import Image
from torch import Tensor

from supcon.base.errors import RequestError
from supcon.views.augmentation import Augmentation
from supcon.views.chain import Chain
from supcon.views.crop_flip import Box, CropFlipStep, crop_each
from supcon.views.number_checks import check_at_least_one


class WorkerViews:
    """Makes `count` views of a PIL image or a uint8 [channel, height, width] tensor of any size.

    Draws the same parameters as `augmentation`. Only the pixels of the crops are read from a PIL image, so that the
    cost of everything but decoding depends on the size of the views, not of the image. The augmentation must start with
    the crop, like those of `make_augmentation`.
    """

    def __init__(self, augmentation: Augmentation, count: int = 2) -> None:
        check_at_least_one("count", count)
        crop_flip, *rest = augmentation.steps
        if not isinstance(crop_flip, CropFlipStep):
            raise RequestError(
                f"augmentation must start with the random crop, got one that starts with {type(crop_flip).__name__}; "
                "build it with make_augmentation."
            )
        self._crop_flip, self._augmentation, self._rest, self._count = crop_flip, augmentation, Chain(rest), count

    def __call__(self, image: Image.Image | Tensor, generator: torch.Generator | None = None) -> Tensor:
        """Returns uint8 [view, channel, height, width]."""
        height, width = _size(image)
        boxes, *drawn = self._augmentation.draw(self._count, height, width, generator)
        crops = crop_each([image] * self._count, Box(*boxes), self._crop_flip.output_size(height, width))
        return self._rest.apply(crops, drawn)


def _size(image: Image.Image | Tensor) -> tuple[int, int]:
    if isinstance(image, Tensor):
        if image.dtype != torch.uint8 or image.dim() != 3 or image.shape[0] not in (1, 3):
            raise RequestError(
                "image must be uint8 [channel, height, width] with 1 or 3 channels, "
                f"got {image.dtype} {list(image.shape)}; convert it first."
            )
        return image.shape[1], image.shape[2]
    if image.mode not in ("L", "RGB"):
        raise RequestError(f"image must have PIL's mode L or RGB, got {image.mode}; convert it first.")
    return image.height, image.width

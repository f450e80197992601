"""Sharpness and cutout, the operations that depend on the position of a pixel."""

import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from supcon.views.kernels.affine import whole_pixels
from supcon.views.kernels.pixels import truncate_to_bytes


def sharpen(
    images: Shaped[Tensor, "batch channel height width"], factors: Float[Tensor, "batch"]
) -> Shaped[Tensor, "batch channel height width"]:
    """Blends every image with its 3x3 smoothing (centre 5, the others 1); the outermost pixels stay unchanged.

    Agrees with torchvision's adjust_sharpness.
    """
    if min(images.shape[-2:]) <= 2:
        return images
    is_bytes = images.dtype == torch.uint8
    values = images.to(torch.float32) if is_bytes else images.clone()
    rows = values[:, :, :-2] + values[:, :, 1:-1] + values[:, :, 2:]
    smooth = rows[..., :-2] + rows[..., 1:-1] + rows[..., 2:]
    inner = values[:, :, 1:-1, 1:-1]
    smooth = smooth.add_(inner, alpha=4).div_(13)
    if is_bytes:
        smooth = smooth.round_()
    inner.add_(smooth.sub_(inner).mul_((1 - factors).to(values).view(-1, 1, 1, 1)))
    return truncate_to_bytes(values.clamp_(0, 255)) if is_bytes else values.clamp_(0, 1)


def cut_out(
    images: Shaped[Tensor, "batch channel height width"],
    shares: Float[Tensor, "batch"],
    places: Float[Tensor, "batch 2"],
    fill: int,
) -> Shaped[Tensor, "batch channel height width"]:
    """Fills a square around `places` (x and y in [0, 1)) whose half side is `shares` of the image's side.

    As in the TF models; the square is clipped at the image's border.
    """
    height, width = images.shape[-2:]
    near = [
        _near(places[:, axis].to(images.device), shares.to(images.device), side)
        for axis, side in ((0, width), (1, height))
    ]
    covered = near[1].unsqueeze(2) & near[0].unsqueeze(1)
    return images.masked_fill(covered.unsqueeze(1), float(fill) if images.dtype == torch.uint8 else fill / 255)


def _near(place: Tensor, share: Tensor, side: int) -> Tensor:
    centre, reach = (place * side).floor().unsqueeze(1), whole_pixels(share * side).unsqueeze(1)
    pixels = torch.arange(side, device=place.device)
    return (pixels >= centre - reach) & (pixels < centre + reach)

"""Linear filters along rows and columns, different for each image, as two batched matrix products."""

import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor


def resample(
    images: Shaped[Tensor, "batch channel height width"],
    rows: Float[Tensor, "batch new_height height"],
    columns: Float[Tensor, "batch new_width width"],
) -> Float[Tensor, "batch channel new_height new_width"]:
    """Filters images along the height with `rows`, then along the width with `columns`."""
    batch, channels, height, width = images.shape
    dtype = torch.float32 if images.dtype == torch.uint8 else images.dtype
    by_row = torch.empty(batch, height, channels, width, dtype=dtype, device=images.device).copy_(
        images.transpose(1, 2)
    )
    tall = torch.bmm(rows.to(dtype), by_row.flatten(2)).view(batch, -1, width)
    wide = torch.bmm(tall, columns.to(dtype).transpose(1, 2))
    return wide.view(batch, rows.shape[1], channels, -1).transpose(1, 2).contiguous()


def crop_weights(
    start: Int[Tensor, "batch"],
    length: Int[Tensor, "batch"],
    source: int,
    size: int,
    mirrored: Bool[Tensor, "batch"] | None = None,
) -> Float[Tensor, "batch {size} {source}"]:
    """Weights of source pixels in output pixels when `length` pixels from `start` are resized to `size`.

    The triangle filter of PIL's and torchvision's antialiased bilinear resize, which is wider if the crop is larger
    than `size`. `mirrored` images are reversed.
    """
    scale = (length / size).unsqueeze(1)
    places = torch.arange(0.5, size, device=start.device)
    if mirrored is None:
        centres = places * scale
    else:
        # Mirroring is place -> size - place.
        sign = 1 - 2 * mirrored.to(scale.dtype).unsqueeze(1)
        centres = (places * sign + size * mirrored.unsqueeze(1)) * scale
    pixels = torch.arange(0.5, source, device=start.device)
    if source <= size:
        inside = torch.minimum(centres.clamp_(min=0.5), length.unsqueeze(1) - 0.5) + start.unsqueeze(1)
        return (inside.unsqueeze(2) - pixels).abs_().neg_().add_(1).clamp_(min=0)
    distance = ((centres + start.unsqueeze(1)).unsqueeze(2) - pixels).abs_() / scale.clamp(min=1).unsqueeze(2)
    weights = distance.neg_().add_(1).clamp_(min=0)
    weights *= ((pixels > start.unsqueeze(1)) & (pixels < (start + length).unsqueeze(1))).unsqueeze(1)
    return weights.div_(weights.sum(dim=2, keepdim=True))


def blur_weights(
    sigma: Float[Tensor, "batch"], side: int, radius: int, *, mirrored: bool = True
) -> Float[Tensor, "batch {side} {side}"]:
    """A Gaussian with each image's `sigma` over 2 radius + 1 pixels.

    The image is padded by mirroring (torchvision) or with zeros: then weights at the border sum to less than 1.
    """
    offsets = torch.arange(-radius, radius + 1, device=sigma.device)
    kernel = torch.softmax(-0.5 * (offsets / sigma.unsqueeze(1)) ** 2, dim=1)
    places = torch.arange(side, device=sigma.device).unsqueeze(1)
    source = places + offsets
    values = kernel.unsqueeze(1).expand(-1, side, -1)
    if not mirrored:
        values = values * ((source >= 0) & (source < side))
    source = source.abs()
    source = torch.minimum(source, 2 * (side - 1) - source)
    weights = torch.zeros(len(sigma), side, side, device=sigma.device)
    return weights.scatter_add_(2, source.expand(len(sigma), -1, -1), values)

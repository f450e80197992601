"""MixUp (Zhang et al., 2018) and CutMix (Yun et al., 2019), with a partner and a share drawn for every image."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from supcon.views.augmentation import check_images
from supcon.views.kernels.pixels import truncate_to_bytes
from supcon.views.number_checks import check_positive, check_within


class Mixed(NamedTuple):
    """Mixed images, each from an image and its partner."""

    images: Tensor
    """[row, channel, height, width], like the input."""

    partners: Tensor
    """[row]: the row of the image that is mixed in."""

    shares: Tensor
    """[row]: weight of the original image, in [0, 1]."""


def mixup(
    images: Tensor, alpha: float = 1.0, probability: float = 1.0, generator: torch.Generator | None = None
) -> Mixed:
    """Blends every image with another one: share * own + (1 - share) * other, with share ~ Beta(alpha, alpha)."""
    check_images(images)
    partners, shares, _ = _draw(len(images), alpha, probability, generator)
    partners, shares = partners.to(images.device), shares.to(images.device)
    is_bytes = images.dtype == torch.uint8
    own = images.to(torch.float32) if is_bytes else images
    weight = shares.to(own.dtype).view(-1, 1, 1, 1)
    blended = own * weight + own[partners] * (1 - weight)
    return Mixed(truncate_to_bytes(blended.add_(0.5)) if is_bytes else blended, partners, shares)


def cutmix(
    images: Tensor, alpha: float = 1.0, probability: float = 1.0, generator: torch.Generator | None = None
) -> Mixed:
    """Pastes a box of another image of the batch over every image; `shares` are the remaining areas.

    The box has the image's aspect ratio and covers 1 - share of its area, share ~ Beta(alpha, alpha), around a uniform
    centre; it is clipped at the border, and the share recomputed.
    """
    check_images(images)
    partners, shares, places = _draw(len(images), alpha, probability, generator)
    reach = (1 - shares).sqrt().unsqueeze(1) / 2
    down, across = (_covered(places[:, axis : axis + 1], reach, side) for axis, side in enumerate(images.shape[-2:]))
    box = (down.unsqueeze(2) & across.unsqueeze(1)).to(images.device)
    partners = partners.to(images.device)
    pasted = torch.where(box.unsqueeze(1), images[partners], images)
    return Mixed(pasted, partners, 1 - box.to(torch.float32).mean(dim=(1, 2)))


def _draw(
    count: int, alpha: float, probability: float, generator: torch.Generator | None
) -> tuple[Tensor, Tensor, Tensor]:
    """Partners, shares, and places [row, 2] in [0, 1)."""
    check_positive("alpha", alpha)
    check_within("probability", probability, largest=1)
    device = generator.device if generator is not None else None
    uniform = torch.rand(count, 4, generator=generator, device=device).cpu()
    # torch's Beta distribution takes no generator; numpy's does, seeded from ours.
    seed = int(torch.randint(2**62, (), generator=generator, device=device))
    shares = torch.from_numpy(np.random.default_rng(seed).beta(alpha, alpha, count).astype(np.float32))
    shares = torch.where(uniform[:, 1] < probability, shares, 1.0)
    return uniform[:, 0].argsort(), shares, uniform[:, 2:]


def _covered(place: Tensor, reach: Tensor, side: int) -> Tensor:
    pixels = torch.arange(side)
    centre, half = (place * side).floor(), (reach * side).round()
    return (pixels >= centre - half) & (pixels < centre + half)

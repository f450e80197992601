"""Drops of water or splashes of mud on the lens."""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from supcon.evaluation.corruptions.canny import canny_edges, distance_to
from supcon.evaluation.corruptions.draws import Draws
from supcon.evaluation.corruptions.levels import Layer, Levels, tint, whole
from supcon.evaluation.corruptions.linear_filters import gaussian

_PALE_TURQUOISE = (175.0, 238.0, 238.0)
_MUD_BROWN = (63.0, 42.0, 20.0)
_RELIEF = torch.tensor([[-2.0, -1.0, 0.0], [-1.0, 1.0, 1.0], [0.0, 1.0, 2.0]])


def spatter(images: Levels, parameters: tuple[float, float, float, float, float, int], draws: Draws) -> Levels:
    """Adds liquid wherever smooth noise is above a threshold: water, which brightens, or mud, which is opaque."""
    mean, deviation, blur, threshold, amount, mud = parameters
    liquid = gaussian(mean + deviation * draws.normal(*images.shape[2:]), blur)
    channels = images.shape[1]
    if mud:
        cover = gaussian((liquid > threshold).float(), amount)
        cover = torch.where(cover < 0.8, 0, cover)[:, None]
        return images * (1 - cover) + cover * tint(_MUD_BROWN, channels).to(images.device)
    shine = amount * _shine(whole(255 * torch.where(liquid < threshold, 0, liquid)).float())[:, None]
    return images + shine * tint(_PALE_TURQUOISE, channels).to(images.device)


def _shine(liquid: Layer) -> Layer:
    """The brightness of the reflection at every pixel of the water, at most 1: a relief of the distance to the edge of
    the drop, lit from one side."""
    distance = distance_to(canny_edges(liquid, 50, 150), most=20)
    relief = _equalized(_box(distance).floor())
    relief = _filtered(relief, _RELIEF).clamp(0, 255)
    light = liquid * _box(relief).round()
    # At least 1: the published code divides by zero if there is no drop.
    return light / light.amax((1, 2), keepdim=True).clamp_min(1)


def _filtered(layers: Layer, kernel: Float[Tensor, "3 3"]) -> Layer:
    padded = F.pad(layers[:, None], [1] * 4, mode="reflect")
    return F.conv2d(padded, kernel[None, None].to(layers.device))[:, 0]


def _box(layers: Layer) -> Layer:
    return _filtered(layers, torch.full((3, 3), 1 / 9))


def _equalized(layers: Layer) -> Layer:
    """Histogram equalization to 0..255; a constant layer stays unchanged."""
    levels = layers.flatten(1).long()
    counts = torch.zeros(len(levels), 256, device=layers.device).scatter_add_(
        1, levels, torch.ones_like(layers).flatten(1)
    )
    seen = counts.cumsum(1)
    lowest = seen.gather(1, levels.amin(1, keepdim=True))
    total = levels.shape[1]
    scaled = ((seen - lowest) * (255 / (total - lowest).clamp_min(1))).round()
    return torch.where(lowest == total, layers.flatten(1), scaled.gather(1, levels)).view(layers.shape)

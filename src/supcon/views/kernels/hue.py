"""Shifts the hue of each image of a batch by its own angle."""

import torch
from jaxtyping import Float
from torch import Tensor


def turn_hue(pixels: Float[Tensor, "batch 3 pixel"], turns: Float[Tensor, "batch"]) -> Float[Tensor, "batch 3 pixel"]:
    """Adds `turns` (1 is the full circle) to the hue of every image, in place; HSV's S and V stay.

    With value and low the largest and smallest channel and chroma their difference, the hue's distance from red is
    (1 + (green + blue - red - low) / chroma) / 6 of the circle, towards green if green is larger than blue. A
    channel is value - chroma * wave, where wave decreases from 1 to 0 with the distance from the channel's opposite
    colour. The code has no branches and reuses buffers in place, since its time is that of memory traffic. Agrees with
    torchvision's `adjust_hue` on floats; PIL rounds the hue to 256 steps.
    """
    red, green, blue = pixels.unbind(1)
    value = torch.maximum(green, blue)
    torch.maximum(value, red, out=value)
    low = torch.minimum(green, blue)
    torch.minimum(low, red, out=low)
    chroma = value - low
    six_chroma = (chroma * 6).add_(torch.finfo(pixels.dtype).tiny)
    hue = (green + blue).sub_(red).sub_(low).div_(six_chroma).add_(1 / 6)
    hue = torch.copysign(hue, green - blue, out=hue)
    base = torch.sub(value, chroma, alpha=2, out=chroma)
    whole = torch.empty_like(hue)
    for channel, opposite in enumerate((3 / 6, 1 / 6, -1 / 6)):
        distance = torch.add(hue, (turns + opposite).to(pixels).unsqueeze(1), out=pixels[:, channel])
        distance.sub_(torch.round(distance, out=whole)).abs_().mul_(six_chroma).add_(base)
        torch.minimum(torch.maximum(distance, low, out=distance), value, out=distance)
    return pixels

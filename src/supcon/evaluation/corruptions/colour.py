"""Brightness and saturation (of HSV, computed in RGB), and contrast."""

import torch

from supcon.evaluation.corruptions.levels import Levels


def brightness(images: Levels, more: float) -> Levels:
    """Raises the value of HSV, the largest channel; hue and saturation stay, so all channels are multiplied by one
    factor."""
    value = images.amax(1, keepdim=True)
    raised = (value + 255 * more).clamp_max(255)
    return torch.where(value > 0, images * (raised / value.clamp_min(1)), raised)


def contrast(images: Levels, left: float) -> Levels:
    """Scales every channel's distance from its mean over the image."""
    mean = images.mean((2, 3), keepdim=True)
    return (images - mean) * left + mean


def saturate(images: Levels, parameters: tuple[float, float]) -> Levels:
    """Scales and shifts the saturation of HSV; a grey image stays unchanged.

    Grey pixels of a colour image count as red, since their hue is 0, as in the published sets.
    """
    if images.shape[1] == 1:
        return images
    factor, offset = parameters
    value = images.amax(1, keepdim=True)
    chroma = value - images.amin(1, keepdim=True)
    wanted = ((chroma / value.clamp_min(1)) * factor + offset).clamp(0, 1) * value
    below = torch.where(chroma > 0, (value - images) / chroma.clamp_min(1), _RED.to(images.device))
    return value - below * wanted


_RED = torch.tensor([0.0, 1.0, 1.0]).view(1, 3, 1, 1)
"""Difference between V and each channel of pure red, relative to the saturation."""

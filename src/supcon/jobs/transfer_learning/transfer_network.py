"""A pretrained encoder with a new linear classifier on it, for another data set."""

import copy

import torch
from jaxtyping import UInt8
from torch import Tensor, nn

from supcon.base.shapes import Images, Logits
from supcon.encoder import Encoder
from supcon.stages import make_classifier


class Transferred(nn.Module):
    """Encoder and classifier; images are converted to the number of channels that the encoder was trained on."""

    def __init__(self, encoder: Encoder, classes: int, *, normalize: bool) -> None:
        super().__init__()
        self.encoder = copy.deepcopy(encoder).requires_grad_(True)
        self.encoder.normalize_representation = normalize
        self.classifier = make_classifier(encoder.width, classes).to(encoder.mean.device)

    def forward(self, images: Images) -> Logits:
        scores: Tensor = self.classifier(self.encoder(with_channels(images, len(self.encoder.mean))))
        return scores


def with_channels(images: Images, channels: int) -> UInt8[Tensor, "batch new_channel height width"]:
    """Converts grey to colour by repeating the channel, and colour to grey by its luma (ITU-R 601, as in Pillow).

    >>> with_channels(torch.full((1, 3, 2, 2), 7, dtype=torch.uint8), 1).shape
    torch.Size([1, 1, 2, 2])
    """
    if images.shape[1] == channels:
        return images
    if channels == 3:
        return images.expand(-1, 3, -1, -1)
    weights = torch.tensor([0.299, 0.587, 0.114], device=images.device).view(1, 3, 1, 1)
    return (images * weights).sum(1, keepdim=True).round().to(torch.uint8)

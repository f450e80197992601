"""The network that is exported: as much of the preprocessing as wanted, the encoder, and the classifier if wanted."""

from typing import Literal

import torch
from torch import Tensor, nn

from supcon.encoder import Encoder
from supcon.serving.export.pillow_resize import resize_and_crop
from supcon.serving.model import Model
from supcon.serving.model_card import ModelCard

Part = Literal["encoder", "classifier"]
"""`encoder`: representations; `classifier`: the encoder with its classifier, representations and probabilities."""

Preprocessing = Literal["none", "normalize", "resize"]
"""What the exported network does before the encoder; the batch size is dynamic in each.

- `none`: nothing. It takes float32 [batch, channel, size, size], `(pixel / 255 - mean) / std`.
- `normalize`: it takes uint8 [batch, channel, size, size], resized and cropped.
- `resize`: it takes uint8 [batch, channel, height, width] of any size, and resizes and crops as evaluation does.
"""


class ExportNetwork(nn.Module):
    """From images to `probabilities` (with the classifier) and `representation`."""

    def __init__(self, encoder: Encoder, classifier: nn.Linear | None, card: ModelCard, steps: Preprocessing) -> None:
        super().__init__()
        self.encoder, self.classifier, self.preprocessing = encoder, classifier, steps
        self.sizes = card.stored_size, card.image_size
        self.multi_label = card.multi_label

    @property
    def output_names(self) -> list[str]:
        return ["representation"] if self.classifier is None else ["probabilities", "representation"]

    def forward(self, images: Tensor) -> tuple[Tensor, ...]:
        if self.preprocessing == "resize":
            images = resize_and_crop(images, *self.sizes).to(torch.uint8)
        representation = self.encoder.represent(images) if self.preprocessing == "none" else self.encoder(images)
        if self.classifier is None:
            return (representation,)
        scores = self.classifier(representation)
        return scores.sigmoid() if self.multi_label else scores.softmax(1), representation


def export_network(model: Model, part: Part, preprocessing: Preprocessing) -> ExportNetwork:
    """The network to export, on the CPU and in evaluation mode; it shares the model's weights."""
    classifier = model.classifier if part == "classifier" else None
    return ExportNetwork(model.encoder, classifier, model.card, preprocessing).cpu().eval()

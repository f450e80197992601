"""Weights of an encoder for other programs."""

from torch import Tensor, nn

from supcon.base.errors import RequestError
from supcon.encoder.encoder import Encoder


def to_torchvision_names(encoder: Encoder, classifier: nn.Linear | None = None) -> dict[str, Tensor]:
    """The encoder's weights, and the classifier's as `fc`, under the names of torchvision and timm.

    They fit torchvision's resnets strictly where the encoder is a resnet with the imagenet stem and three channels, and
    timm's models for `timm:NAME`. The model then expects what the encoder's network sees: (pixel / 255 - mean) / std.
    """
    if classifier is not None and encoder.normalize_representation:
        raise RequestError(
            "This classifier was trained on unit vectors, which torchvision's and timm's models do not make; export "
            "the encoder alone, or train with --encoder.normalize_representation false."
        )
    weights = {name: value.detach().cpu().contiguous() for name, value in encoder.network.state_dict().items()}
    if classifier is not None:
        weights |= {f"fc.{name}": value.detach().cpu().contiguous() for name, value in classifier.state_dict().items()}
    return weights

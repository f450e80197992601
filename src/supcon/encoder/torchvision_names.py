"""Exports the weights of an encoder for other programs."""

from torch import Tensor, nn

from supcon.base.errors import RequestError
from supcon.encoder.encoder import Encoder


def to_torchvision_names(encoder: Encoder, classifier: nn.Linear | None = None) -> dict[str, Tensor]:
    """The encoder's weights, and the classifier's as `fc`, under the names of torchvision and timm.

    They load with strict=True into torchvision's resnets if the encoder is a resnet with the imagenet stem and three
    channels, and into timm's models for `timm:NAME`. The model then expects inputs (pixel / 255 - mean) / std.
    """
    if classifier is not None and encoder.normalize_representation:
        raise RequestError(
            "This classifier was trained on normalized representations, which torchvision's and timm's models do not "
            "have; export the encoder alone, or train with --encoder.normalize_representation false."
        )
    weights = {name: value.detach().cpu().contiguous() for name, value in encoder.network.state_dict().items()}
    if classifier is not None:
        weights |= {f"fc.{name}": value.detach().cpu().contiguous() for name, value in classifier.state_dict().items()}
    return weights

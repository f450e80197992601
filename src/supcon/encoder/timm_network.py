"""Networks from timm, without their classifiers."""

import difflib
from typing import Any

import timm
import torch
from torch import nn

from supcon.base.errors import RequestError, WorkError
from supcon.base.quiet_logs import quiet_logs


def any_network(name: str, channels: int, image_size: int, *, pretrained: bool = False) -> nn.Module:
    """The model that timm calls `name`, for square images of `image_size`."""
    options = {"img_size": image_size} if _has_one_input_size(name) else {}
    network = timm_network(name, channels, pretrained=pretrained, **options)
    _refuse_unfit(network, name, channels, image_size)
    return network


def timm_network(name: str, channels: int, /, *, pretrained: bool = False, **options: Any) -> nn.Module:
    """A network of timm that ends with the pooled features; its weights keep timm's names."""
    _refuse_unknown(name)
    try:
        with quiet_logs("huggingface_hub"):  # it logs each of its ten attempts
            network: nn.Module = timm.create_model(
                name, pretrained=pretrained, num_classes=0, in_chans=channels, **options
            )
    except Exception as error:
        reason = " ".join(str(error).split())
        if not pretrained:
            raise RequestError(f"timm cannot build {name} with {channels} channels: {reason}") from error
        raise WorkError(
            f"The published weights of {name} could not be downloaded ({reason.rstrip('.')}); try again with an "
            "internet connection, or give a file of weights in --encoder.pretrained."
        ) from error
    return network


def _refuse_unknown(name: str) -> None:
    if not timm.is_model(name.split(".")[0]):
        near = difflib.get_close_matches(name, timm.list_models(), n=1)
        hint = f"did you mean timm:{near[0]}?" if near else "timm.list_models() lists them."
        raise RequestError(f"timm has no model called {name!r}; {hint}")


def _has_one_input_size(name: str) -> bool:
    """Whether a model, such as a vision transformer, is built for one size of image."""
    config = timm.get_pretrained_cfg(name) if timm.is_model(name.split(".")[0]) else None
    return config is not None and bool(config.fixed_input_size)


def _refuse_unfit(network: nn.Module, name: str, channels: int, image_size: int) -> None:
    """Runs one image of zeros through the network, to check that its layers fit the image size."""
    try:
        with torch.no_grad():
            found = network.eval()(torch.zeros(1, channels, image_size, image_size))
    except (RuntimeError, ValueError, AssertionError) as error:
        raise RequestError(
            f"timm's {name} cannot take images of {image_size}x{image_size} pixels ({' '.join(str(error).split())}); "
            "choose another --data.image_size or another model."
        ) from error
    network.train()
    if found.ndim != 2:
        raise RequestError(
            f"timm's {name} returns features of shape {list(found.shape[1:])} per image, not a vector; choose another."
        )

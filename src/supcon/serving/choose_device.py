"""The device that a finished model runs on."""

from typing import Literal

import torch

from supcon.base.errors import RequestError

Device = Literal["auto", "cpu", "gpu"]


def torch_device(device: Device) -> str:
    """torch's name of the device; `auto` is the GPU if there is one."""
    if device == "gpu" and not torch.cuda.is_available():
        raise RequestError("--device gpu was given, but torch finds no GPU; leave it out to use the CPU.")
    return "cuda" if device != "cpu" and torch.cuda.is_available() else "cpu"

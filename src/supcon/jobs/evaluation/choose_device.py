"""Where a finished model is used."""

from typing import Literal

import torch

from supcon.base.errors import RequestError

Device = Literal["auto", "cpu", "gpu"]


def torch_device(device: Device) -> str:
    """torch's name of the device; `auto` takes a GPU where there is one."""
    if device == "gpu" and not torch.cuda.is_available():
        raise RequestError("--device gpu was asked for and there is no GPU that torch can use; leave it out.")
    return "cuda" if device != "cpu" and torch.cuda.is_available() else "cpu"

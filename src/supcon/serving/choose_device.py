"""The device that a finished model runs on."""

from typing import Literal, cast, get_args

import torch

from supcon.base.errors import RequestError

Device = Literal["auto", "cpu", "gpu"]


def checked_device(device: str) -> str:
    """torch's name of `auto`, `cpu`, `gpu` or a device of torch; raises an error for one that is not here."""
    if device in get_args(Device):
        return torch_device(cast(Device, device))
    try:
        if torch.empty(0, device=device).is_meta:
            raise ValueError("it holds no values")
    except (RuntimeError, AssertionError, TypeError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise RequestError(f"device {device!r} cannot be used ({reason}); use 'cpu'.") from error
    return device


def torch_device(device: Device) -> str:
    """torch's name of the device; `auto` is the GPU if there is one."""
    if device == "gpu" and not torch.cuda.is_available():
        raise RequestError("The device gpu was given, but torch finds no GPU; use auto or cpu.")
    return "cuda" if device != "cpu" and torch.cuda.is_available() else "cpu"

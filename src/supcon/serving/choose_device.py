"""The device that a finished model runs on."""

from typing import Literal

import torch

from supcon.base.errors import RequestError

Device = Literal["auto", "cpu", "gpu"]


def check_device(device: str) -> None:
    """Raises an error for a device that torch does not have here."""
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, TypeError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise RequestError(f"device {device!r} cannot be used ({reason}); use 'cpu'.") from error


def torch_device(device: Device) -> str:
    """torch's name of the device; `auto` is the GPU if there is one."""
    if device == "gpu" and not torch.cuda.is_available():
        raise RequestError("--device gpu was given, but torch finds no GPU; leave it out to use the CPU.")
    return "cuda" if device != "cpu" and torch.cuda.is_available() else "cpu"

"""The mean and standard deviation of pixels that pretrained weights were trained with."""

from pathlib import Path
from typing import Any

import timm

from supcon.encoder.config import TIMM
from supcon.encoder.packaged_weights import PACKAGED
from supcon.encoder.weights import read_weights

Statistics = tuple[tuple[float, ...], tuple[float, ...]]
"""Mean and standard deviation of every channel, for pixels scaled to 0..1."""


def pretrained_statistics(name: str, pretrained: bool | str, channels: int) -> Statistics | None:
    """Mean and standard deviation of the inputs of the encoder `name`, if its weights define them.

    Published weights and supcon's runs define them; other files and random weights do not.
    """
    if pretrained is True:
        mean, std = _published(name.removeprefix(TIMM))
    elif isinstance(pretrained, str) and (saved := _saved(Path(pretrained))) is not None:
        mean, std = saved
    else:
        return None
    return _for_channels(mean, channels), _for_channels(std, channels)


def _published(name: str) -> Statistics:
    if name in PACKAGED:
        packaged = PACKAGED[name]
        return (packaged.mean / 255,), (packaged.std / 255,)
    config: Any = timm.get_pretrained_cfg(name)
    return tuple(config.mean), tuple(config.std)


def _saved(path: Path) -> Statistics | None:
    """The statistics that a run of supcon saves with its weights, in 0..255; None for other files."""
    weights = read_weights(path)
    if not {"encoder.mean", "encoder.std"} <= set(weights):
        return None
    mean, std = (tuple((weights[name].flatten() / 255).tolist()) for name in ("encoder.mean", "encoder.std"))
    return mean, std


def _for_channels(values: tuple[float, ...], channels: int) -> tuple[float, ...]:
    """One value per channel; if the counts differ, as for grey images, the mean for every channel."""
    return values if len(values) == channels else (sum(values) / len(values),) * channels

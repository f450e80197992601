"""The mean and deviation of pixels that published weights were trained with."""

from pathlib import Path
from typing import Any

import timm

from supcon.encoder.config import TIMM
from supcon.encoder.packaged_weights import PACKAGED
from supcon.encoder.weights import read_weights

Statistics = tuple[tuple[float, ...], tuple[float, ...]]
"""Mean and deviation of every channel, of pixels scaled to 0..1."""


def pretrained_statistics(name: str, pretrained: bool | str, channels: int) -> Statistics | None:
    """What inputs of the encoder `name` are centred and divided by, where its weights say so.

    Published weights and runs of ours bring their own; other files and random weights none.
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
    """Our runs keep theirs beside the weights, in units of pixels."""
    weights = read_weights(path)
    if not {"encoder.mean", "encoder.std"} <= set(weights):
        return None
    mean, std = (tuple((weights[name].flatten() / 255).tolist()) for name in ("encoder.mean", "encoder.std"))
    return mean, std


def _for_channels(values: tuple[float, ...], channels: int) -> tuple[float, ...]:
    """One value a channel; where the counts differ, such as for grey images, their mean for every channel."""
    return values if len(values) == channels else (sum(values) / len(values),) * channels

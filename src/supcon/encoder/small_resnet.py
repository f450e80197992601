"""A residual network of three stages for small images, which trains on a CPU in seconds."""

import math
from itertools import pairwise

import torch.nn.functional as F
from torch import Tensor, nn

from supcon.encoder.config import Norm


def _norm(kind: Norm, width: int) -> nn.BatchNorm2d | nn.GroupNorm:
    """Batch norm, or group norm with eight groups, or fewer if the channels are not divisible by eight."""
    return nn.BatchNorm2d(width) if kind == "batch" else nn.GroupNorm(math.gcd(8, width), width)


class ResidualBlock(nn.Module):
    """Two 3x3 convolutions around a shortcut; the second norm starts at zero, so the block starts as identity."""

    def __init__(self, width_in: int, width_out: int, stride: int, norm: Norm = "batch") -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(width_in, width_out, 3, stride, 1, bias=False)
        self.bn1 = _norm(norm, width_out)
        self.conv2 = nn.Conv2d(width_out, width_out, 3, 1, 1, bias=False)
        self.bn2 = _norm(norm, width_out)
        nn.init.zeros_(self.bn2.weight)
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or width_in != width_out:
            self.shortcut = nn.Sequential(nn.Conv2d(width_in, width_out, 1, stride, bias=False), _norm(norm, width_out))

    def forward(self, x: Tensor) -> Tensor:
        # In place, to save memory: the backward of a norm does not need its output.
        hidden = F.relu(self.bn1(self.conv1(x)), inplace=True)
        return F.relu(self.bn2(self.conv2(hidden)).add_(self.shortcut(x)), inplace=True)


class SmallResNet(nn.Module):
    """One convolution, stages of `width`, 2 `width`, 4 `width` channels with one block each, mean over positions.

    The first convolution is 3x3 up to a `stride` of 2, and 2 stride - 1 wide for larger strides.
    """

    def __init__(self, channels: int, width: int = 32, norm: Norm = "batch", stride: int = 1) -> None:
        super().__init__()
        widths = [width, width, 2 * width, 4 * width]
        kernel = max(3, 2 * stride - 1)
        first = nn.Conv2d(channels, width, kernel, stride, kernel // 2, bias=False)
        self.stem = nn.Sequential(first, _norm(norm, width), nn.ReLU(inplace=True))
        self.stages = nn.Sequential(
            *(ResidualBlock(before, after, 1 if before == after else 2, norm) for before, after in pairwise(widths))
        )
        self.num_features = widths[-1]
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def group_matcher(self, coarse: bool = False) -> dict[str, str]:
        """Regular expressions that assign parameters to layers, as in timm's models."""
        return {"stem": r"^stem", "blocks": r"^stages\.(\d+)"}

    def forward(self, x: Tensor) -> Tensor:
        features: Tensor = self.stages(self.stem(x))
        return features.mean(dim=(2, 3))

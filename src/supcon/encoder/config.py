"""Which encoder a run trains, as values."""

from dataclasses import dataclass
from typing import Literal

from supcon.errors import RequestError

EncoderName = Literal["small-resnet", "resnet18", "resnet50"]
Stem = Literal["auto", "small", "imagenet"]


@dataclass(frozen=True, kw_only=True)
class EncoderConfig:
    """Enc(.) of the paper."""

    name: EncoderName = "resnet18"
    """`small-resnet` for images of a few pixels on a CPU; the others are the usual residual networks (v1.5)."""

    stem: Stem = "auto"
    """First layers of a resnet18/50: `small` is one 3x3 convolution, `imagenet` a 7x7 with stride 2 and a max-pool;
    `auto` takes `small` for inputs up to 64 pixels."""

    width: int = 32
    """Channels of the first stage of `small-resnet`; each later stage has twice as many."""

    normalize_representation: bool = True
    """Put the representation on the unit sphere, as the paper does."""

    def __post_init__(self) -> None:
        if self.width < 1:
            raise RequestError(f"encoder.width must be at least 1, got {self.width}.")

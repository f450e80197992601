"""Which encoder a run trains, as values."""

import difflib
from dataclasses import dataclass
from typing import Literal

from supcon.base.errors import RequestError

Stem = Literal["auto", "small", "imagenet"]
Norm = Literal["batch", "group"]

RESNETS = ("resnet18", "resnet34", "resnet50", "resnet101", "resnet200")
NAMES = ("small-resnet", *RESNETS)
TIMM = "timm:"


@dataclass(frozen=True, kw_only=True)
class EncoderConfig:
    """Enc(.) of the paper."""

    name: str = "resnet18"
    """`small-resnet` for small images on a CPU; `resnet18`, 34, 50, 101, 200 as the paper has them (v1.5: stride on the
    3x3 convolution; last gamma of a block zero); `timm:NAME` for any model of timm."""

    pretrained: bool | str = False
    """Where the weights start: at random, at published ones (true: of `timm:tf_efficientnet_lite0` those that are
    installed with supcon, of others timm's, which are downloaded), or at those in a file: .safetensors or .pth with
    names of torchvision, timm or the authors' PyTorch code, or the folder of a run."""

    stem: Stem = "auto"
    """First layers of a resnet: `small` is one 3x3 convolution, `imagenet` a 7x7 with stride 2 and a max-pool; `auto`
    takes `small` for inputs up to 40 pixels."""

    norm: Norm = "batch"
    """Of `small-resnet` and the resnets: batch norm, or `group` norm, which looks at one image at a time."""

    width: int = 32
    """Channels of the first stage of `small-resnet`; each later stage has twice as many."""

    width_multiplier: int = 1
    """Of the resnets: factor on the channels of every layer (the authors' `resnet_width`; SimCLR: 1, 2, 4)."""

    stride: int = 1
    """Of the first convolution of `small-resnet`: 2 makes the network about four times as fast, and coarser."""

    normalize_representation: bool = True
    """Put the representation on the unit sphere, as the paper does."""

    centre_representation: bool = False
    """Batch norm without scale and shift on the representation, before the unit sphere (ours). Behind a ReLU all
    representations point in nearly one direction; centred ones differ from the first step on."""

    def __post_init__(self) -> None:
        if self.name not in NAMES and not (self.name.startswith(TIMM) and self.name != TIMM):
            near = difflib.get_close_matches(self.name, NAMES, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise RequestError(f"encoder.name must be one of {', '.join(NAMES)} or timm:NAME, got {self.name!r}.{hint}")
        for name in ("width", "width_multiplier", "stride"):
            if getattr(self, name) < 1:
                raise RequestError(f"encoder.{name} must be at least 1, got {getattr(self, name)}.")
        if self.name not in RESNETS and self.stem != "auto":
            raise RequestError(
                f"encoder.stem is for {', '.join(RESNETS)}, got {self.stem} for {self.name}; leave it out."
            )
        if self.name.startswith(TIMM) and self.norm != "batch":
            raise RequestError(
                f"encoder.norm is not for {self.name}; choose a model of timm that has the norm you want."
            )
        if self.name not in RESNETS and self.width_multiplier != 1:
            raise RequestError(
                f"encoder.width_multiplier is for {', '.join(RESNETS)}, got {self.width_multiplier} for {self.name}; "
                "leave it out."
            )
        self._check_pretrained()

    def _check_pretrained(self) -> None:
        if self.pretrained == "":
            raise RequestError(
                "encoder.pretrained is empty; give true, false, a file of weights or the folder of a run."
            )
        if self.pretrained is True and (self.name in ("small-resnet", "resnet200") or self._is_changed):
            what = self.name if self.norm == "batch" else f"{self.name} with {self.norm} norm"
            what += f" of {self.width_multiplier} times the width" if self.width_multiplier > 1 else ""
            raise RequestError(f"encoder.pretrained: there are no published weights of {what}; give a file of weights.")

    @property
    def _is_changed(self) -> bool:
        """Whether the network has other layers than the one with published weights."""
        return self.norm != "batch" or self.width_multiplier != 1

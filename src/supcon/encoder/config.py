"""Settings of the encoder."""

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
    """The encoder, Enc(.) in the paper."""

    name: str = "resnet18"
    """`small-resnet` for small images on a CPU; `resnet18`, 34, 50, 101, 200 as in the paper (v1.5: stride on the
    3x3 convolution; last gamma of a block zero); `timm:NAME` for any model of timm."""

    pretrained: bool | str = False
    """Initial weights: false for random ones; true for published ones (for timm:tf_efficientnet_lite0 and _lite2 those
    installed with supcon, for others timm's, which are downloaded); or a file, .safetensors or .pth with the names of
    torchvision, timm or the authors' PyTorch code; or the folder of a run."""

    stem: Stem = "auto"
    """First layers of a resnet: `small` is one 3x3 convolution, `imagenet` a 7x7 with stride 2 and a max-pool; `auto`
    is `small` for images up to 40 pixels."""

    norm: Norm = "batch"
    """Norm of `small-resnet` and the resnets: batch norm, or `group` norm, which does not depend on the batch."""

    width: int = 32
    """Channels of the first stage of `small-resnet`; each later stage has twice as many."""

    width_multiplier: int = 1
    """Factor on the channels of every layer of the resnets (the authors' `resnet_width`; SimCLR: 1, 2, 4)."""

    stride: int = 1
    """Stride of the first convolution of `small-resnet`; 2 makes the network about four times as fast."""

    normalize_representation: bool = True
    """Normalize the representation to unit length, as in the paper."""

    centre_representation: bool = False
    """Batch norm without scale and shift on the representation, before normalization (our addition). After a ReLU all
    representations point in similar directions; centred ones differ from the first step."""

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
                f"encoder.norm is not for {self.name}, got {self.norm}; choose a model of timm that has this norm."
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
        """Whether the layers differ from those of the published weights."""
        return self.norm != "batch" or self.width_multiplier != 1

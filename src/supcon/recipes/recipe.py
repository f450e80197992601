"""Everything a run needs, as one typed value. Free of torch, like every type it is made of."""

from dataclasses import dataclass, field
from typing import Literal

from supcon.data.config import DataConfig
from supcon.encoder.config import EncoderConfig
from supcon.errors import RequestError
from supcon.losses.config import LossConfig
from supcon.projection.config import ProjectionConfig
from supcon.stages.config import HardwareConfig, Stage1Config, Stage2Config
from supcon.views.config import ViewsConfig
from supcon.views.mix_config import MixConfig

Method = Literal["supcon", "simclr", "cross-entropy"]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A run before it happened."""

    name: str
    """What it is called; `supcon recipes` lists the names."""

    method: Method = "supcon"
    """`supcon` is Eq. 2 of the paper, `simclr` Eq. 1 (no labels in stage 1), `cross-entropy` the baseline."""

    seed: int = 0
    """Decides initial weights, order of images, views, and splits that the data does not bring."""

    data: DataConfig = field(default_factory=DataConfig)
    """Which images."""

    views: ViewsConfig = field(default_factory=ViewsConfig)
    """The augmentation of stage 1."""

    mix: MixConfig = field(default_factory=MixConfig)
    """MixUp or CutMix in stage 1: soft targets for cross-entropy, soft positives (ours) for the contrastive loss."""

    encoder: EncoderConfig = field(default_factory=EncoderConfig)
    """Enc(.)."""

    projection: ProjectionConfig = field(default_factory=ProjectionConfig)
    """Proj(.), thrown away after stage 1; not used by cross-entropy."""

    loss: LossConfig = field(default_factory=LossConfig)
    """The contrastive loss; not used by cross-entropy."""

    stage1: Stage1Config = field(default_factory=Stage1Config)
    """Training the encoder."""

    stage2: Stage2Config = field(default_factory=Stage2Config)
    """Training the linear classifier; not used by cross-entropy."""

    hardware: HardwareConfig = field(default_factory=HardwareConfig)
    """Where it runs."""

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**32:
            raise RequestError(f"The seed must be 0 or more and below 2**32, got {self.seed}.")
        if self.method == "simclr" and self.views.count < 2:
            raise RequestError(
                "simclr needs at least two views of every image, since an image's only positives are its other views; "
                f"got views.count {self.views.count}."
            )

"""All settings of a run, as one dataclass. Does not import torch, and neither do its parts."""

from dataclasses import dataclass, field

from supcon.base.errors import RequestError
from supcon.data import DataConfig
from supcon.encoder import EncoderConfig
from supcon.losses import LossConfig
from supcon.projection import ProjectionConfig
from supcon.stages import METHODS, HardwareConfig, Method, MethodSpec, Stage1Config, Stage2Config
from supcon.views import MixConfig, ViewsConfig

__all__ = ["METHODS", "Method", "Recipe"]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """All settings of a run."""

    name: str
    """Name of the recipe; `supcon recipes` lists the names."""

    method: Method = "supcon"
    """`supcon` is Eq. 2 of the paper, `supcon-in` Eq. 3, `simclr` Eq. 1 (no labels in stage 1), `joint` Eq. 2
    together with a classifier; `n-pairs`, `triplet`, `cross-entropy`, `cross-entropy-two-stage` and `large-margin` are
    the paper's baselines."""

    seed: int = 0
    """Seed of the initial weights, the order of images, the views, and of splits that the data does not define."""

    data: DataConfig = field(default_factory=DataConfig)
    """The images, and how they are split, resized and stored."""

    views: ViewsConfig = field(default_factory=ViewsConfig)
    """The augmentation of stage 1."""

    mix: MixConfig = field(default_factory=MixConfig)
    """MixUp or CutMix in stage 1: soft targets for cross-entropy, soft positives (our extension) for contrastive
    losses."""

    encoder: EncoderConfig = field(default_factory=EncoderConfig)
    """The encoder Enc(.)."""

    projection: ProjectionConfig = field(default_factory=ProjectionConfig)
    """The projection head Proj(.), discarded after stage 1; not used by cross-entropy."""

    loss: LossConfig = field(default_factory=LossConfig)
    """The contrastive loss; not used by cross-entropy."""

    stage1: Stage1Config = field(default_factory=Stage1Config)
    """Training of the encoder."""

    stage2: Stage2Config = field(default_factory=Stage2Config)
    """Training of the linear classifier; not used by cross-entropy."""

    hardware: HardwareConfig = field(default_factory=HardwareConfig)
    """Device, precision, processes and logger."""

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**32:
            raise RequestError(f"The seed must be 0 or more and below 2**32, got {self.seed}.")
        method_spec = METHODS[self.method]
        if not method_spec.labelled and self.views.count < 2:
            raise RequestError(
                f"{self.method} needs at least two views of every image, since an image's only positives are its other "
                f"views; got views.count {self.views.count}."
            )
        if self.mix.method != "none" and not method_spec.mixes:
            raise RequestError(
                f"{self.method} does not support mixed images, got mix.method {self.mix.method}; leave it out, or "
                f"choose one of {', '.join(name for name, other in METHODS.items() if other.mixes)}."
            )
        self._check_loss(method_spec)
        self._check_stage1(method_spec)

    def _check_loss(self, method_spec: MethodSpec) -> None:
        """Checks the options that only Eq. 1 to 3 support, and those that exclude each other."""
        default = LossConfig()
        for name in ("queue_size", "denominator", "max_positives", "anchors"):
            given = getattr(self.loss, name)
            if method_spec.contrastive and not method_spec.whole_family and given != getattr(default, name):
                raise RequestError(f"{self.method} does not support loss.{name}, got {given}; leave it out.")
        if self.loss.queue_size and self.mix.method != "none":
            raise RequestError(
                f"A queue does not support mixed images, got mix.method {self.mix.method} with loss.queue_size "
                f"{self.loss.queue_size}; leave one of the two out."
            )
        if self.loss.max_positives is not None and method_spec.whole_family:
            self._check_cap(self.loss.max_positives)

    def _check_cap(self, max_positives: int) -> None:
        if self.mix.method != "none":
            raise RequestError(
                f"loss.max_positives does not support mixed images, got {max_positives} with mix.method "
                f"{self.mix.method}; leave one of the two out."
            )
        if max_positives < self.views.count - 1:
            raise RequestError(
                f"loss.max_positives must be at least {self.views.count - 1}, the other views of the same image, got "
                f"{max_positives} with views.count {self.views.count}."
            )

    def _check_stage1(self, method_spec: MethodSpec) -> None:
        if self.stage1.label_smoothing and method_spec.contrastive:
            raise RequestError(
                f"stage1.label_smoothing is for cross-entropy and large-margin, got {self.stage1.label_smoothing} with "
                f"{self.method}; leave it out, or use stage2.label_smoothing for the classifier."
            )
        processes = self.hardware.devices * self.hardware.num_nodes
        for name, batch_size in (("stage1", self.stage1.batch_size), ("stage2", self.stage2.batch_size)):
            if batch_size % processes:
                raise RequestError(
                    f"{name}.batch_size must be a multiple of the {processes} processes that share it, "
                    f"got {batch_size}; the next smaller one is {batch_size // processes * processes}."
                )
        if self.stage1.pretrained_share and not (method_spec.stage2 and self.encoder.pretrained):
            raise RequestError(
                "stage1.pretrained_share is for pretrained encoders and methods with a stage 2, got "
                f"{self.stage1.pretrained_share} with encoder.pretrained {self.encoder.pretrained} and {self.method}; "
                "set it to 0."
            )
        if self.stage1.cross_entropy_weight and not method_spec.joint_classifier:
            raise RequestError(
                "stage1.cross_entropy_weight is for the method joint, which trains a classifier together with "
                f"the encoder, got {self.stage1.cross_entropy_weight} with {self.method}; leave it out."
            )

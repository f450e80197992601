"""Settings of the training stages."""

from dataclasses import dataclass, field
from typing import Literal, get_args

from supcon.base.errors import RequestError
from supcon.data import SamplerName
from supcon.stages.optimization.optimizer_config import OptimizerConfig as OptimizerConfig  # re-exported
from supcon.views import ViewsConfig

LearnFrom = Literal["all-views", "first-view"]
BatchNormMode = Literal["averages", "batch"]


@dataclass(frozen=True, kw_only=True)
class Stage1Config:
    """Settings of stage 1, which trains the encoder: with a contrastive loss, or with cross-entropy or large-margin."""

    epochs: int = 100
    """Passes over the training images."""

    batch_size: int = 256
    """Images per step; the loss gets `views.count` times as many rows."""

    micro_batch: int | None = None
    """Images that go through the encoder at once, on each device; the loss is still that of the whole batch (gradient
    caching). Saves memory and takes about a third more time; none: the whole batch at once."""

    optimizer: OptimizerConfig = field(default_factory=lambda: OptimizerConfig(warmup_epochs=5))
    """Optimizer of the encoder and of the projection head or classifier on it."""

    knn_every: int = 5
    """k-NN accuracy on the validation split is measured every so many epochs; 0: never."""

    sampler: SamplerName = "plain"
    """How the images of a step are drawn: shuffled, with classes equally often, or `images_per_class` of each drawn
    class."""

    images_per_class: int = 4
    """Images of each class in a batch of the sampler `m-per-class`."""

    label_smoothing: float = 0.0
    """Label smoothing of cross-entropy and large-margin (authors: 0.05)."""

    margin: int = 4
    """m of `large-margin`, which multiplies the angle to the own class (4 for the paper's 92.4 % on CIFAR-10)."""

    learn_from: LearnFrom = "all-views"
    """Views in the loss of cross-entropy and large-margin: `all-views`, the same pixels as for the contrastive methods;
    or the `first-view` only, though all views go through the encoder and its batch norms, as in the authors' TensorFlow
    code. For ordinary training with one view use `--views.count 1`."""

    cross_entropy_weight: float = 0.0
    """Weight of the classifier's cross-entropy in the loss of the encoder, for `joint`; 0 blocks its gradient, as in
    the paper; values above 0 are our extension."""

    frozen_layers: int = 0
    """Number of encoder layers that are frozen, counted from the input: the stem, then the stages of blocks."""

    frozen_statistics: bool = False
    """The encoder's batch norms use the running averages of the pretrained weights and do not update them: for
    pretrained weights and few images."""

    pretrained_share: float = 0.0
    """After stage 1 every encoder weight becomes share * pretrained + (1 - share) * trained (WiSE-FT, Wortsman et al.
    2022: 0.5), which makes it more robust. For methods with a stage 2."""

    def __post_init__(self) -> None:
        if not 0 <= self.pretrained_share < 1:
            raise RequestError(f"stage1.pretrained_share must be at least 0 and below 1, got {self.pretrained_share}.")
        if self.frozen_layers < 0:
            raise RequestError(f"stage1.frozen_layers must be 0 (none) or more, got {self.frozen_layers}.")
        _check_epochs_and_batch("stage1", self.epochs, self.batch_size)
        _check_choice("stage1.learn_from", self.learn_from, get_args(LearnFrom))
        _check_label_smoothing("stage1", self.label_smoothing)
        if self.micro_batch is not None and self.micro_batch < 2:
            raise RequestError(f"stage1.micro_batch must be at least 2 images, got {self.micro_batch}.")
        if self.margin < 1:
            raise RequestError(f"stage1.margin must be a whole number from 1 (no margin) up, got {self.margin}.")
        if self.cross_entropy_weight < 0:
            raise RequestError(f"stage1.cross_entropy_weight must be 0 or more, got {self.cross_entropy_weight}.")
        if self.knn_every < 0:
            raise RequestError(f"stage1.knn_every must be 0 (never) or more, got {self.knn_every}.")
        if self.images_per_class < 1:
            raise RequestError(f"stage1.images_per_class must be at least 1, got {self.images_per_class}.")
        if self.sampler == "m-per-class" and self.batch_size % self.images_per_class:
            raise RequestError(
                f"stage1.batch_size must be a multiple of stage1.images_per_class with the sampler m-per-class, "
                f"got {self.batch_size} and {self.images_per_class}."
            )


@dataclass(frozen=True, kw_only=True)
class Stage2Config:
    """Settings of stage 2: a linear classifier on the encoder, which is frozen if `encoder_lr` is 0."""

    epochs: int = 20
    """Passes over the training images; the paper finds ten enough."""

    batch_size: int = 256
    """Images per step."""

    optimizer: OptimizerConfig = field(default_factory=lambda: OptimizerConfig(lr=1.0, weight_decay=0.0))
    """Optimizer of the classifier; on unit-norm representations it needs a larger learning rate than an encoder."""

    views: ViewsConfig = field(default_factory=lambda: ViewsConfig(augmentation="crop-flip", count=1))
    """The augmentation of stage 2: crop and flip, one view, unless the recipe sets another."""

    sampler: Literal["plain", "class-balanced"] = "plain"
    """`class-balanced` draws rare classes as often as others, which helps if class sizes differ a lot."""

    label_smoothing: float = 0.0
    """Label smoothing of the cross-entropy (authors, on ImageNet: 0.05)."""

    cached: bool = False
    """Encode every image once, without augmentation, and train on the cached representations: much faster epochs."""

    batch_norm: BatchNormMode = "averages"
    """How the frozen encoder's batch norms normalize: by the running `averages` of stage 1, or by the statistics of the
    `batch` without updating the averages (the authors' TensorFlow code, on ImageNet)."""

    encoder_lr: float = 0.0
    """Learning rate of the encoder in stage 2: 0 freezes it, as the paper does; above 0 fine-tunes it, with the
    optimizer and schedule of the classifier."""

    def __post_init__(self) -> None:
        _check_epochs_and_batch("stage2", self.epochs, self.batch_size)
        _check_label_smoothing("stage2", self.label_smoothing)
        _check_choice("stage2.batch_norm", self.batch_norm, get_args(BatchNormMode))
        if self.batch_norm == "batch" and (self.cached or self.encoder_lr > 0):
            given = "stage2.cached" if self.cached else f"stage2.encoder_lr {self.encoder_lr}"
            raise RequestError(
                "stage2.batch_norm batch needs a frozen encoder that runs on the batches of stage 2, got it "
                f"with {given}; leave one of the two out."
            )
        if self.encoder_lr < 0:
            raise RequestError(f"stage2.encoder_lr must be 0 (frozen) or more, got {self.encoder_lr}.")
        if self.cached and self.encoder_lr > 0:
            raise RequestError(
                f"stage2.cached needs a frozen encoder, got stage2.encoder_lr {self.encoder_lr}; "
                "leave one of the two out."
            )


@dataclass(frozen=True, kw_only=True)
class HardwareConfig:
    """Device, precision, processes and logger of a run."""

    device: Literal["auto", "cpu", "gpu"] = "auto"
    """`auto` uses a GPU if there is one."""

    precision: Literal["32-true", "bf16-mixed", "16-mixed"] = "32-true"
    """Precision of the forward pass; losses are always computed in float32 or higher."""

    devices: int = 1
    """GPUs per machine, or processes on a CPU; each batch is split among them, and the loss is that of the whole
    batch."""

    num_nodes: int = 1
    """Machines, each started with the same command (by SLURM, torchrun, or with NODE_RANK and MASTER_ADDR set)."""

    compile: bool = False
    """Compile the encoder with torch.compile: a minute or more at the start, faster steps afterwards."""

    logger: Literal["none", "tensorboard", "wandb"] = "none"
    """Where metrics are logged in addition to metrics.csv."""

    def __post_init__(self) -> None:
        for name, value in (("devices", self.devices), ("num_nodes", self.num_nodes)):
            if value < 1:
                raise RequestError(f"hardware.{name} must be at least 1, got {value}.")


def _check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise RequestError(f"{name} must be one of {', '.join(choices)}, got {value!r}.")


def _check_epochs_and_batch(stage: str, epochs: int, batch_size: int) -> None:
    if epochs < 1:
        raise RequestError(f"{stage}.epochs must be at least 1, got {epochs}.")
    if batch_size < 2:
        raise RequestError(f"{stage}.batch_size must be at least 2, got {batch_size}.")


def _check_label_smoothing(stage: str, label_smoothing: float) -> None:
    if not 0 <= label_smoothing < 1:
        raise RequestError(f"{stage}.label_smoothing must be at least 0 and below 1, got {label_smoothing}.")

"""How the stages train, as values."""

from dataclasses import dataclass, field
from typing import Literal, get_args

from supcon.base.errors import RequestError
from supcon.data import SamplerName
from supcon.stages.optimization.optimizer_config import OptimizerConfig as OptimizerConfig  # part of this room's config
from supcon.views import ViewsConfig

LearnFrom = Literal["all-views", "first-view"]
BatchNormMode = Literal["averages", "batch"]


@dataclass(frozen=True, kw_only=True)
class Stage1Config:
    """Training the encoder: contrastively, or with cross-entropy where that is the method."""

    epochs: int = 100
    """Passes over the training images."""

    batch_size: int = 256
    """Images a step; the loss sees `views.count` times as many rows."""

    micro_batch: int | None = None
    """Images that go through the encoder at once, on each device; the loss still sees the whole batch (gradient
    caching). Less memory for a third more time; none: the whole batch at once."""

    optimizer: OptimizerConfig = field(default_factory=lambda: OptimizerConfig(warmup_epochs=5))
    """How the encoder and the head on it are trained."""

    knn_every: int = 5
    """Epochs between two measurements of k-NN accuracy on the validation split; 0: never."""

    sampler: SamplerName = "plain"
    """Images of a step: in a shuffled order, classes evenly, or `images_per_class` of a class at a time."""

    images_per_class: int = 4
    """Images that a class gives at a time with the sampler `m-per-class`."""

    label_smoothing: float = 0.0
    """Of cross-entropy and large-margin: the share of a target that all classes have in common (authors: 0.05)."""

    margin: int = 4
    """m of `large-margin`: how many times the angle to its own class counts (4 is the paper's 92.4 % on CIFAR-10)."""

    learn_from: LearnFrom = "all-views"
    """Of cross-entropy and large-margin: `all-views` of an image, so that they see the pixels that the contrastive
    methods see; or the `first-view`, while all go through the encoder and its batch norms, as in the authors'
    TensorFlow code. Plain training with one view is `--views.count 1`."""

    cross_entropy_weight: float = 0.0
    """Of `joint`: how much of the classifier's cross-entropy reaches the encoder; 0 blocks it as the paper does, more
    is ours."""

    frozen_layers: int = 0
    """Layers of the encoder that stay as they are, counted from the input: the stem, then the stages of blocks."""

    frozen_statistics: bool = False
    """Batch norms of the encoder use the averages that its weights came with, and leave them as they are: for
    pretrained weights and few images."""

    pretrained_share: float = 0.0
    """After stage 1 every weight of the encoder becomes this share of its pretrained value and the rest of its trained
    one (Wortsman et al. 2022: 0.5): it moves less and is more robust. For methods with a stage 2."""

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
    """Training a linear classifier on the encoder, which is frozen unless `encoder_lr` says otherwise."""

    epochs: int = 20
    """Passes over the training images; the paper finds ten enough."""

    batch_size: int = 256
    """Images a step."""

    optimizer: OptimizerConfig = field(default_factory=lambda: OptimizerConfig(lr=1.0, weight_decay=0.0))
    """How the classifier is trained; on unit vectors it needs a larger learning rate than an encoder does."""

    views: ViewsConfig = field(default_factory=lambda: ViewsConfig(augmentation="crop-flip", count=1))
    """The augmentation of stage 2: crop and flip, one view, unless the recipe says otherwise."""

    sampler: Literal["plain", "class-balanced"] = "plain"
    """`class-balanced` shows rare classes as often as others, which helps where classes differ much in size."""

    label_smoothing: float = 0.0
    """The share of a target that all classes have in common (authors, on ImageNet: 0.05)."""

    cached: bool = False
    """Encode every image once, whole and without views, and train on that: as many epochs in a fraction of the time."""

    batch_norm: BatchNormMode = "averages"
    """What the frozen encoder's batch norms normalise by: the `averages` of stage 1, or the statistics of the `batch`,
    which then do not enter the averages (the authors' TensorFlow code, on ImageNet)."""

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
                "stage2.batch_norm batch is for a frozen encoder that sees the batches of stage 2, got it with "
                f"{given}; leave one of the two out."
            )
        if self.encoder_lr < 0:
            raise RequestError(f"stage2.encoder_lr must be 0 (frozen) or more, got {self.encoder_lr}.")
        if self.cached and self.encoder_lr > 0:
            raise RequestError(
                f"stage2.cached needs an encoder that stands still, got stage2.encoder_lr {self.encoder_lr}; "
                "leave one of the two out."
            )


@dataclass(frozen=True, kw_only=True)
class HardwareConfig:
    """Where it runs, and where its figures go."""

    device: Literal["auto", "cpu", "gpu"] = "auto"
    """`auto` takes a GPU where there is one."""

    precision: Literal["32-true", "bf16-mixed", "16-mixed"] = "32-true"
    """Of the forward pass; losses are float32 or better whatever stands here."""

    devices: int = 1
    """GPUs, or processes on a CPU, of every machine; they share each batch, and the loss is that of the whole batch."""

    num_nodes: int = 1
    """Machines, each started with the same command (by SLURM, torchrun, or with NODE_RANK and MASTER_ADDR set)."""

    compile: bool = False
    """Compile the encoder with torch.compile: a minute or more at the start, faster steps afterwards."""

    logger: Literal["none", "tensorboard", "wandb"] = "none"
    """Where figures go besides metrics.csv."""

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

"""Recipes for ImageNet with the paper's ResNet-50, 101 and 200, as the authors train them.

TF is the authors' TensorFlow code (google-research/supcon): its scripts, and the defaults of its flags. Values
are TF's unless stated otherwise. What differs: one in a hundred training images is held out for validation
(`--data.validation_fraction`); crops are resized with antialiasing; stage 2 encodes one view of an image, while TF
encodes two and uses the first in the loss; batch-norm statistics are those of all GPUs, as in TF, but on CPUs those of
each process. `docs/paper_map.md` has the complete list. None of these recipes has been run here: they need many GPUs,
or micro-batches and a long time.
"""

from dataclasses import replace

from supcon.data import DataConfig
from supcon.encoder import EncoderConfig
from supcon.losses import LossConfig
from supcon.projection import ProjectionConfig
from supcon.recipes.recipe import Recipe
from supcon.stages import HardwareConfig, OptimizerConfig, Stage1Config, Stage2Config
from supcon.views import ViewsConfig

IMAGENET = DataConfig(
    spec="imagenet", image_size=224, validation_fraction=0.01, mean=(0.5, 0.5, 0.5), std=(0.5, 0.5, 0.5)
)
"""TF scales pixels to [-1, 1] and uses no mean and std of the data."""

CROPS = ViewsConfig(augmentation="crop-flip", crop_area=(0.08, 1.0), crop_aspect=(0.75, 1.33), crop_law="tensorflow")
"""TF's crops, the first step of every augmentation."""

AUTO_AUGMENT = replace(CROPS, augmentation="auto-augment", auto_augment_policy="imagenet-v0")
"""Best for ResNet-50 in both stages (Sec. 4, Supp. Sec. 10.2)."""

STACKED = replace(
    CROPS,
    augmentation="stacked-rand-augment",
    jitter_kind="tensorflow",
    jitter_strength=1.0,
    blur_sigma_per="batch",
    blur_border="grey",
)
"""Best for ResNet-200 (Supp. Sec. 10.2), TF's magnitude 1; with RandAugment first and the warp, as in the paper."""

SIM_AUGMENT = replace(STACKED, augmentation="sim-augment", warp_probability=0.0)
"""TF's SimCLR, magnitude 1."""

LARS = OptimizerConfig(
    name="lars", lr=0.4, lr_rule="batch", weight_decay=1e-3, decayed="weights-and-biases", warmup_epochs=12
)
"""Eta 0.001, momentum 0.9, no decay and adaptation of batch norms; 12 epochs of warm-up, then a cosine to 0 (TF)."""

RMSPROP = OptimizerConfig(
    name="rmsprop",
    lr=0.05,
    lr_rule="batch",
    weight_decay=1e-6,
    decayed="weights-and-biases",
    warmup_epochs=12,
    schedule="exponential",
    decay_rate=0.97,
    decay_every=0.5,
)
"""RMSProp with rho 0.9, momentum 0.9, epsilon 0.001; 12 epochs of warm-up, then times 0.97 every half epoch (TF)."""

NESTEROV = OptimizerConfig(
    name="sgd",
    lr=0.1,
    lr_rule="batch",
    nesterov=True,
    weight_decay=1e-4,
    decayed="weights-and-biases",
    warmup_epochs=12,
)
"""For cross-entropy and SimCLR's stage 2: 12 epochs of warm-up, then a cosine to 0 (TF)."""


def imagenet_resnet50() -> Recipe:
    """SupCon (Eq. 2) on ImageNet, ResNet-50: 78.7 % top-1 in the paper's Table 3.

    The authors' supcon_imagenet_resnet50.sh. Batch 6144, AutoAugment, temperature 0.1, the loss times the temperature.
    Stage 1: 350 epochs of LARS with rate 0.4 x 6144 / 256 = 9.6 and weight decay 1e-3. Stage 2: 90 epochs of RMSProp
    with rate 0.05 x 6144 / 256 = 1.2 and weight decay 1e-6, label smoothing 0.05, one view; the frozen encoder's batch
    norms use the batch's statistics. Projection: one linear layer of 128; representation and projection normalized.
    Mixed precision, as on the authors' TPUs.
    """
    return Recipe(
        name="imagenet-resnet50",
        data=IMAGENET,
        views=AUTO_AUGMENT,
        encoder=EncoderConfig(name="resnet50", stem="imagenet"),
        projection=ProjectionConfig(kind="linear", width=128),
        loss=LossConfig(temperature=0.1, rescale="temperature"),
        stage1=Stage1Config(epochs=350, batch_size=6144, optimizer=LARS, knn_every=25),
        stage2=Stage2Config(
            epochs=90,
            batch_size=6144,
            optimizer=RMSPROP,
            views=replace(AUTO_AUGMENT, count=1),
            label_smoothing=0.05,
            batch_norm="batch",
        ),
        hardware=HardwareConfig(precision="bf16-mixed"),
    )


def imagenet_resnet101() -> Recipe:
    """SupCon (Eq. 2) on ImageNet, ResNet-101: 80.2 % top-1 in the paper's Table 3, with Stacked RandAugment.

    The authors' supcon_imagenet_resnet101.sh: as imagenet-resnet50, with batch 4096 and weight decay 1e-4. The
    script uses AutoAugment, and so does this recipe; the table's result is with `--views.augmentation
    stacked-rand-augment` and the same in stage 2.
    """
    recipe = imagenet_resnet50()
    return replace(
        recipe,
        name="imagenet-resnet101",
        encoder=replace(recipe.encoder, name="resnet101"),
        stage1=replace(recipe.stage1, batch_size=4096, optimizer=replace(LARS, weight_decay=1e-4)),
        stage2=replace(recipe.stage2, batch_size=4096),
    )


def imagenet_resnet200() -> Recipe:
    """SupCon (Eq. 2) on ImageNet, ResNet-200: 81.4 % top-1 in the paper's Table 3.

    The authors' supcon_imagenet_resnet200.sh: as imagenet-resnet101, with Stacked RandAugment, 700 epochs in stage 1
    and a base rate of 0.2, which gives 0.2 x 4096 / 256 = 3.2.
    """
    recipe = imagenet_resnet101()
    return replace(
        recipe,
        name="imagenet-resnet200",
        views=STACKED,
        encoder=replace(recipe.encoder, name="resnet200"),
        stage1=replace(recipe.stage1, epochs=700, optimizer=replace(LARS, lr=0.2, weight_decay=1e-4)),
        stage2=replace(recipe.stage2, views=replace(STACKED, count=1)),
    )


def imagenet_resnet50_queue() -> Recipe:
    """SupCon on ImageNet with a queue and small batches, ResNet-50: 79.1 % top-1 in the paper's Sec. 4.1.

    The paper says only: 8192 projections of width 128 in memory, batch 256, SGD, eight V100. From MoCo (He et al.,
    2020), which the paper follows here: rate 0.03 at batch 256, momentum encoder 0.999, weight decay 1e-4
    on everything, a loss that is not rescaled. From the paper in general: AutoAugment, temperature 0.1, MLP head of
    2048, 350 epochs, cosine. Stage 2 is that of imagenet-resnet50.
    """
    recipe = imagenet_resnet50()
    sgd = OptimizerConfig(name="sgd", lr=0.03, weight_decay=1e-4, decayed="all")
    return replace(
        recipe,
        name="imagenet-resnet50-queue",
        projection=ProjectionConfig(kind="mlp", width=128),
        loss=LossConfig(temperature=0.1, rescale="none", queue_size=8192, queue_momentum=0.999),
        stage1=replace(recipe.stage1, batch_size=256, optimizer=sgd),
    )


def imagenet_resnet50_cross_entropy() -> Recipe:
    """Cross-entropy on ImageNet, ResNet-50 with AutoAugment: 77.6 % top-1 in the paper's Table 3.

    The authors' cross_entropy_imagenet_resnet50.sh: Nesterov with rate 0.1 x 6144 / 256 = 2.4, weight decay 1e-4, 200
    epochs, 12 of them warm-up, label smoothing 0.05, AutoAugment, representation not normalized. Two views of an image
    go through the encoder and the loss uses only the first, as in the authors' code; `--stage1.learn_from all-views`
    uses both, like the recipes of other data, and imagenet-resnet50-cross-entropy-one-view makes only one.
    """
    return _cross_entropy(imagenet_resnet50(), epochs=200)


def imagenet_resnet50_cross_entropy_one_view() -> Recipe:
    """Cross-entropy on ImageNet, ResNet-50 with AutoAugment, one view of an image, in half the time.

    As imagenet-resnet50-cross-entropy, but without the second view, which the loss of the authors' code does not use.
    Batch norm then has 6144 views per step instead of 12288.
    """
    recipe = imagenet_resnet50_cross_entropy()
    return replace(
        recipe,
        name=f"{recipe.name}-one-view",
        views=replace(recipe.views, count=1),
        stage1=replace(recipe.stage1, learn_from="all-views"),
    )


def imagenet_resnet101_cross_entropy() -> Recipe:
    """Cross-entropy on ImageNet, ResNet-101.

    The authors have no script for it: imagenet-resnet50-cross-entropy with the batch of imagenet-resnet101.
    """
    return _cross_entropy(imagenet_resnet101(), epochs=200)


def imagenet_resnet200_cross_entropy() -> Recipe:
    """Cross-entropy on ImageNet, ResNet-200 with Stacked RandAugment: 80.9 % top-1 in the paper's Table 3.

    The authors' cross_entropy_imagenet_resnet200.sh: as for ResNet-50, with batch 4096 and 700 epochs.
    """
    return _cross_entropy(imagenet_resnet200(), epochs=700)


def imagenet_resnet50_simclr() -> Recipe:
    """SimCLR (Eq. 1) on ImageNet, ResNet-50: 70.2 % top-1 in the paper's Table 2.

    The authors' simclr_imagenet_resnet50.sh: batch 6144, SimAugment of strength 1, temperature 0.1, loss not rescaled,
    LARS with rate 0.3 x 6144 / 256 = 7.2 and weight decay 1e-4, 100 epochs; head 2048-2048-128 with batch norm;
    representation not normalized. Stage 2: 90 epochs of Nesterov with rate 2.4 and weight decay 1e-6. The authors'
    SimCLR classifier is initialized with zeros, ours with Glorot-uniform weights.
    """
    return _simclr(imagenet_resnet50())


def imagenet_resnet101_simclr() -> Recipe:
    """SimCLR (Eq. 1) on ImageNet, ResNet-101.

    The authors have no script for it: imagenet-resnet50-simclr with the batch of imagenet-resnet101.
    """
    return _simclr(imagenet_resnet101())


def imagenet_resnet200_simclr() -> Recipe:
    """SimCLR (Eq. 1) on ImageNet, ResNet-200.

    The authors have no script for it: imagenet-resnet50-simclr with the batch of imagenet-resnet200.
    """
    return _simclr(imagenet_resnet200())


def _cross_entropy(recipe: Recipe, epochs: int) -> Recipe:
    return replace(
        recipe,
        name=f"{recipe.name}-cross-entropy",
        method="cross-entropy",
        encoder=replace(recipe.encoder, normalize_representation=False),
        stage1=replace(recipe.stage1, epochs=epochs, optimizer=NESTEROV, label_smoothing=0.05, learn_from="first-view"),
    )


def _simclr(recipe: Recipe) -> Recipe:
    return replace(
        recipe,
        name=f"{recipe.name}-simclr",
        method="simclr",
        views=SIM_AUGMENT,
        encoder=replace(recipe.encoder, normalize_representation=False),
        projection=ProjectionConfig(kind="mlp", width=128, hidden_width=2048, hidden_layers=2, batch_norm=True),
        loss=LossConfig(temperature=0.1, rescale="none"),
        stage1=replace(recipe.stage1, epochs=100, optimizer=replace(LARS, lr=0.3, weight_decay=1e-4)),
        stage2=replace(
            recipe.stage2, optimizer=replace(NESTEROV, weight_decay=1e-6), views=replace(SIM_AUGMENT, count=1)
        ),
    )

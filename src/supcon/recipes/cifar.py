"""Recipes for CIFAR-10 and CIFAR-100 with the paper's ResNet-50, as the authors train it.

SC is the authors' PyTorch code (HobbitLong/SupContrast): the defaults of main_supcon.py, main_linear.py and main_ce.py
and the commands of its README. Values are SC's unless stated otherwise: crops and jitter are torchvision's, the batch
norms of the linear stage normalize by their running averages, cross-entropy has one view. Three things differ. One in
fifty training images is held out for validation (`--data.validation_fraction`), which SC does not do. The warm-up
starts at 0 instead of 0.01, and the cosine starts after the warm-up instead of at step 0. The last batch-norm gamma of
a block is initialized with zero, as in the paper's ImageNet models. None of these recipes has been run here: they need
a GPU.
"""

from dataclasses import replace

from supcon.data import DataConfig
from supcon.encoder import EncoderConfig
from supcon.losses import LossConfig
from supcon.recipes.recipe import Recipe
from supcon.stages import OptimizerConfig, Stage1Config, Stage2Config
from supcon.views import ViewsConfig

CIFAR10 = DataConfig(
    spec="cifar10", validation_fraction=0.02, mean=(0.4914, 0.4822, 0.4465), std=(0.2023, 0.1994, 0.2010)
)
"""With SC's statistics."""

CIFAR100 = DataConfig(
    spec="cifar100", validation_fraction=0.02, mean=(0.5071, 0.4867, 0.4408), std=(0.2675, 0.2565, 0.2761)
)
"""With SC's statistics."""

VIEWS = ViewsConfig(
    augmentation="sim-augment",
    crop_area=(0.2, 1.0),
    jitter_strength=0.5,  # brightness, contrast and saturation 0.4, hue 0.1
    warp_probability=0.0,
    blur_probability=0.0,
)
"""SC's two views: crop, flip, jitter with probability 0.8, grey with 0.2, no blur."""

CROP_FLIP = replace(VIEWS, augmentation="crop-flip", count=1)
"""SC's views of the linear stage and of cross-entropy."""


def cifar10_resnet50() -> Recipe:
    """SupCon (Eq. 2) on CIFAR-10, ResNet-50: 96.0 % top-1 in the paper's Table 2.

    As in the authors' PyTorch code. Stage 1: SGD with rate 0.5 at batch 1024, momentum 0.9, weight decay 1e-4 on
    everything, 1000 epochs, 10 of them warm-up, cosine to a thousandth of the rate; temperature 0.1, the loss times 0.1
    / 0.07; head 2048-2048-128; the representation is not normalized. Stage 2: SGD with rate 5 at batch 512, 100 epochs,
    rate multiplied by 0.2 at epochs 60, 75 and 90, no weight decay.
    """
    return Recipe(
        name="cifar10-resnet50",
        data=CIFAR10,
        views=VIEWS,
        encoder=EncoderConfig(name="resnet50", stem="small", normalize_representation=False),
        loss=LossConfig(temperature=0.1, rescale=0.07),
        stage1=Stage1Config(
            epochs=1000,
            batch_size=1024,
            optimizer=OptimizerConfig(lr=0.5, weight_decay=1e-4, decayed="all", warmup_epochs=10, lr_end=1e-3),
            knn_every=25,
        ),
        stage2=Stage2Config(
            epochs=100,
            batch_size=512,
            optimizer=OptimizerConfig(lr=5.0, weight_decay=0.0, schedule="step", decay_rate=0.2, decay_at=(60, 75, 90)),
            views=CROP_FLIP,
        ),
    )


def cifar100_resnet50() -> Recipe:
    """SupCon (Eq. 2) on CIFAR-100, ResNet-50: 76.5 % top-1 in the paper's Table 2.

    All values are those of cifar10-resnet50, as in the authors' PyTorch code, except the mean and std of the images.
    """
    return replace(cifar10_resnet50(), name="cifar100-resnet50", data=CIFAR100)


def cifar10_resnet50_simclr() -> Recipe:
    """SimCLR (Eq. 1) on CIFAR-10, ResNet-50: 93.6 % top-1 in the paper's Table 2.

    As cifar10-resnet50, with temperature 0.5 and a rate of 1 in stage 2, as in the README of the authors' PyTorch
    code.
    """
    return _simclr(cifar10_resnet50())


def cifar100_resnet50_simclr() -> Recipe:
    """SimCLR (Eq. 1) on CIFAR-100, ResNet-50: 70.7 % top-1 in the paper's Table 2.

    All values are those of cifar10-resnet50-simclr, except the mean and std of the images.
    """
    return _simclr(cifar100_resnet50())


def cifar10_resnet50_cross_entropy() -> Recipe:
    """Cross-entropy on CIFAR-10, ResNet-50: 95.0 % top-1 in the paper's Table 2.

    As in the authors' PyTorch code: SGD with rate 0.8 at batch 1024, 500 epochs, 10 of them warm-up, cosine to a
    thousandth of the rate, weight decay 1e-4 on everything; one view, cropped and flipped.
    """
    return _cross_entropy(cifar10_resnet50())


def cifar100_resnet50_cross_entropy() -> Recipe:
    """Cross-entropy on CIFAR-100, ResNet-50: 75.3 % top-1 in the paper's Table 2.

    All values are those of cifar10-resnet50-cross-entropy, except the mean and std of the images.
    """
    return _cross_entropy(cifar100_resnet50())


def _simclr(recipe: Recipe) -> Recipe:
    return replace(
        recipe,
        name=f"{recipe.name}-simclr",
        method="simclr",
        loss=replace(recipe.loss, temperature=0.5),
        stage2=replace(recipe.stage2, optimizer=replace(recipe.stage2.optimizer, lr=1.0)),
    )


def _cross_entropy(recipe: Recipe) -> Recipe:
    return replace(
        recipe,
        name=f"{recipe.name}-cross-entropy",
        method="cross-entropy",
        views=CROP_FLIP,
        stage1=replace(recipe.stage1, epochs=500, optimizer=replace(recipe.stage1.optimizer, lr=0.8)),
    )

"""Recipes for any folder of images."""

from dataclasses import replace

from supcon.losses import LossConfig
from supcon.recipes.recipe import Recipe
from supcon.stages import OptimizerConfig, Stage1Config, Stage2Config
from supcon.views import ViewsConfig


def folder() -> Recipe:
    """SupCon (Eq. 2) on a folder of images, ResNet-18.

    Nothing is tuned, since the images are unknown. Views, learning rates and weight decay are those of the
    authors' PyTorch code for CIFAR, the rates scaled to this batch size: stage 1 SGD 0.5 at batch 1024, stage 2 SGD 5
    at batch 512, cross-entropy SGD 0.8 at batch 1024. The representation is normalized, as in the paper.
    """
    return Recipe(
        name="folder",
        views=ViewsConfig(augmentation="sim-augment", crop_area=(0.2, 1.0), blur_probability=0.0, warp_probability=0.0),
        loss=LossConfig(temperature=0.1, rescale="none"),
        stage1=Stage1Config(epochs=100, batch_size=256, optimizer=OptimizerConfig(lr=0.125, warmup_epochs=10)),
        stage2=Stage2Config(
            epochs=20,
            optimizer=OptimizerConfig(lr=2.5, weight_decay=0.0),
            views=ViewsConfig(augmentation="crop-flip", count=1, crop_area=(0.2, 1.0)),
        ),
    )


def folder_simclr() -> Recipe:
    """SimCLR (Eq. 1) on a folder: stage 1 does not use the labels. Otherwise as folder."""
    return replace(folder(), name="folder-simclr", method="simclr")


def folder_cross_entropy() -> Recipe:
    """Cross-entropy on a folder: same encoder, views and epochs as folder."""
    recipe = folder()
    return replace(
        recipe,
        name="folder-cross-entropy",
        method="cross-entropy",
        encoder=replace(recipe.encoder, normalize_representation=False),
        stage1=replace(recipe.stage1, optimizer=OptimizerConfig(lr=0.2, warmup_epochs=10)),
    )

"""Recipes that fine-tune an ImageNet encoder on a few hundred to some ten thousand photographs."""

from dataclasses import replace

from supcon.data import DataConfig
from supcon.encoder import EncoderConfig
from supcon.losses import LossConfig
from supcon.projection import ProjectionConfig
from supcon.recipes.recipe import Recipe
from supcon.stages import OptimizerConfig, Stage1Config, Stage2Config
from supcon.views import ViewsConfig


def photos() -> Recipe:
    """SupCon (Eq. 2) on photographs, EfficientNet-Lite2 with the ImageNet weights that are installed with supcon.

    Values are our own, measured in reproduction/first_try.md: encoder, image size, layers, rate and the share of
    ImageNet's weights were chosen on validation images, the rest was not varied. Only the last three stages of blocks
    and the last convolution are trained, all batch norms keep ImageNet's averages, and the final weights are the mean
    of ImageNet's and the trained ones.
    """
    return Recipe(
        name="photos",
        data=DataConfig(image_size=224),
        views=ViewsConfig(
            augmentation="sim-augment",
            crop_area=(0.5, 1.0),
            jitter_strength=0.25,
            grey_probability=0.1,
            warp_probability=0.0,
            blur_probability=0.0,
        ),
        encoder=EncoderConfig(name="timm:tf_efficientnet_lite2", pretrained=True),
        projection=ProjectionConfig(kind="none", centre=True),
        loss=LossConfig(temperature=0.2, rescale="none"),
        stage1=Stage1Config(
            epochs=8,
            batch_size=32,
            frozen_layers=5,
            frozen_statistics=True,
            pretrained_share=0.5,
            optimizer=OptimizerConfig(name="adamw", lr=3e-5, weight_decay=1e-4, warmup_epochs=1),
            knn_every=5,
        ),
        stage2=Stage2Config(
            epochs=100, batch_size=32, optimizer=OptimizerConfig(lr=5.0, weight_decay=1e-4), cached=True
        ),
    )


def photos_simclr() -> Recipe:
    """SimCLR (Eq. 1) on photographs: stage 1 does not use the labels. Otherwise as photos."""
    return replace(photos(), name="photos-simclr", method="simclr")


def photos_cross_entropy() -> Recipe:
    """Cross-entropy on photographs: same encoder, views and epochs as photos.

    Layers and rate were chosen from the same grid as those of photos (reproduction/first_try.md): only the last stage
    of blocks and the last convolution are trained.
    """
    recipe = photos()
    return replace(
        recipe,
        name="photos-cross-entropy",
        method="cross-entropy",
        encoder=replace(recipe.encoder, normalize_representation=False),
        # Without a stage 2 the classifier does not fit to encoder weights that are mixed afterwards.
        stage1=replace(
            recipe.stage1,
            frozen_layers=7,
            pretrained_share=0.0,
            optimizer=replace(recipe.stage1.optimizer, lr=1e-3),
        ),
    )

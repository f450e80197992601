"""Small CIFAR-10 recipes for a CPU: a network of 77,000 weights and a few epochs, to try everything in minutes."""

from dataclasses import replace

from supcon.encoder import EncoderConfig
from supcon.losses import LossConfig
from supcon.projection import ProjectionConfig
from supcon.recipes.cifar import CIFAR10, CROP_FLIP, VIEWS
from supcon.recipes.recipe import Recipe
from supcon.stages import OptimizerConfig, Stage1Config, Stage2Config


def cifar10_small() -> Recipe:
    """SupCon (Eq. 2) on CIFAR-10 in minutes on a CPU.

    The stride of 2 makes the network about four times as fast. Our own choice, measured in reproduction/first_try.md:
    the representation is centred and there is no projection, so that the similarity of negatives starts near 0 instead
    of near 1; views are weak, crops of at least half of the image and flips, because so small a network cannot fit
    strong ones; and there is one view of an image in a step, so that all rows are different images: 256 images and 20
    epochs instead of two views of 128 images and 10 epochs. Views, temperature, rate and weight decay were chosen on
    validation images, stage 2 with 500 images a class (cifar10-500). Batch size and number of steps are not tuned.
    """
    recipe = cifar10_500()
    optimizer = replace(recipe.stage1.optimizer, warmup_epochs=2.0)
    return replace(
        recipe,
        name="cifar10-small",
        data=replace(recipe.data, per_class=None),
        views=replace(VIEWS, augmentation="crop-flip", crop_area=(0.5, 1.0), count=1),
        loss=replace(recipe.loss, temperature=0.2),
        stage1=replace(recipe.stage1, epochs=20, batch_size=256, optimizer=optimizer),
    )


def cifar10_small_simclr() -> Recipe:
    """SimCLR (Eq. 1) on CIFAR-10 in minutes on a CPU: stage 1 does not use the labels.

    As many steps and rows as cifar10-small, but two views of every image, those of cifar10-resnet50, since the other
    view is the only positive; and a projection, the paper's MLP, centred, so that the representation does not discard
    the properties in which views differ. Otherwise as cifar10-small. Nothing was tuned for it.
    """
    recipe = cifar10_small()
    optimizer = replace(recipe.stage1.optimizer, warmup_epochs=1.0)
    stage1 = replace(recipe.stage1, epochs=10, batch_size=128, knn_every=5, optimizer=optimizer)
    return _simclr(replace(recipe, views=VIEWS, stage1=stage1))


def cifar10_small_cross_entropy() -> Recipe:
    """Cross-entropy on CIFAR-10 in minutes on a CPU: same encoder, views, batch and epochs as cifar10-small.

    The representation is neither normalized nor centred, as is usual. Rate, views and weight decay were chosen on
    validation images (reproduction/first_try.md).
    """
    return _cross_entropy(cifar10_small(), lr=0.4)


def cifar10_500() -> Recipe:
    """SupCon (Eq. 2) on 500 images a class of CIFAR-10, 40 epochs: the recipe of `supcon reproduce --scale small`.

    The representation is centred and there is no projection, as in cifar10-small. Temperature, rate, stage 2 and views,
    those of cifar10-resnet50, were chosen on validation images of this set (reproduction/first_try.md). Found later:
    one weak view of 256 images, as in cifar10-small, has 67.5 instead of 63.3 % (reproduction/fair-comparison.md); this
    recipe keeps the paper's kind of views, from which the study's experiments start.
    """
    return Recipe(
        name="cifar10-500",
        data=replace(CIFAR10, validation_fraction=0.1, per_class=500),
        views=VIEWS,
        encoder=EncoderConfig(name="small-resnet", width=16, stride=2, centre_representation=True),
        projection=ProjectionConfig(kind="none"),
        loss=LossConfig(temperature=0.3, rescale="none"),
        stage1=Stage1Config(
            epochs=40,
            batch_size=128,
            optimizer=OptimizerConfig(lr=0.5, weight_decay=5e-4, warmup_epochs=4),
            knn_every=10,
        ),
        stage2=Stage2Config(
            epochs=30,
            batch_size=256,
            optimizer=OptimizerConfig(lr=1.0, weight_decay=2e-4),
            views=CROP_FLIP,
            cached=True,
        ),
    )


def cifar10_500_simclr() -> Recipe:
    """SimCLR (Eq. 1) on 500 images a class of CIFAR-10: cifar10-500 with the projection of cifar10-small-simclr."""
    return _simclr(cifar10_500())


def cifar10_500_cross_entropy() -> Recipe:
    """Cross-entropy on 500 images a class of CIFAR-10: same encoder, views, batch and epochs as cifar10-500.

    Views and rate were chosen on validation images from as many as those of cifar10-500 (reproduction/first_try.md).
    """
    return _cross_entropy(cifar10_500(), lr=0.8)


def _simclr(recipe: Recipe) -> Recipe:
    projection = ProjectionConfig(kind="mlp", centre=True)
    return replace(recipe, name=f"{recipe.name}-simclr", method="simclr", projection=projection)


def _cross_entropy(recipe: Recipe, lr: float) -> Recipe:
    return replace(
        recipe,
        name=f"{recipe.name}-cross-entropy",
        method="cross-entropy",
        encoder=replace(recipe.encoder, normalize_representation=False, centre_representation=False),
        stage1=replace(recipe.stage1, optimizer=replace(recipe.stage1.optimizer, lr=lr)),
    )

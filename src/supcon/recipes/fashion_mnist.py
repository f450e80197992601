"""Recipes for Fashion-MNIST: with the values of `folder`, and a small one for a CPU."""

from dataclasses import replace

from supcon.data import DataConfig
from supcon.recipes.cifar_small import cifar10_small, cifar10_small_cross_entropy, cifar10_small_simclr
from supcon.recipes.folder_recipes import folder, folder_cross_entropy
from supcon.recipes.recipe import Recipe

FASHION_MNIST = DataConfig(spec="fashion-mnist")


def fashion_mnist() -> Recipe:
    """SupCon (Eq. 2) on Fashion-MNIST, ResNet-18.

    All values are those of the recipe folder; nothing is tuned, and it has not been run here: it needs a GPU. The paper
    has no results for this data set.
    """
    return replace(folder(), name="fashion-mnist", data=FASHION_MNIST)


def fashion_mnist_simclr() -> Recipe:
    """SimCLR (Eq. 1) on Fashion-MNIST: stage 1 does not use the labels. Otherwise as fashion-mnist."""
    return replace(fashion_mnist(), name="fashion-mnist-simclr", method="simclr")


def fashion_mnist_cross_entropy() -> Recipe:
    """Cross-entropy on Fashion-MNIST, ResNet-18: values of folder-cross-entropy."""
    return replace(folder_cross_entropy(), name="fashion-mnist-cross-entropy", data=FASHION_MNIST)


def fashion_mnist_small() -> Recipe:
    """SupCon (Eq. 2) on Fashion-MNIST in minutes on a CPU.

    The values of cifar10-small, but crops of at least 80 % of the image: on validation images one point better than
    crops of at least half, for SupCon and for cross-entropy (reproduction/small.md).
    """
    return _weaker_crops(replace(cifar10_small(), name="fashion-mnist-small", data=FASHION_MNIST))


def _weaker_crops(recipe: Recipe) -> Recipe:
    return replace(recipe, views=replace(recipe.views, crop_area=(0.8, 1.0)))


def fashion_mnist_small_simclr() -> Recipe:
    """SimCLR (Eq. 1) on Fashion-MNIST in minutes on a CPU: values of cifar10-small-simclr."""
    return replace(cifar10_small_simclr(), name="fashion-mnist-small-simclr", data=FASHION_MNIST)


def fashion_mnist_small_cross_entropy() -> Recipe:
    """Cross-entropy on Fashion-MNIST in minutes on a CPU: cifar10-small-cross-entropy, views of fashion-mnist-small."""
    recipe = replace(cifar10_small_cross_entropy(), name="fashion-mnist-small-cross-entropy", data=FASHION_MNIST)
    return _weaker_crops(recipe)

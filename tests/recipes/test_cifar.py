"""The CIFAR recipes against the authors' values."""

import pytest

from supcon.recipes import find_recipe
from supcon.stages.config import OptimizerConfig

FAMILIES = [f"imagenet-resnet{depth}" for depth in (50, 101, 200)] + ["cifar10-resnet50", "cifar100-resnet50"]


def test_cifar_recipes_do_what_torchvision_does() -> None:
    for name in FAMILIES[3:]:
        recipe = find_recipe(name)
        assert (recipe.views.crop_law, recipe.views.jitter_kind) == ("torchvision", "torchvision")
        assert recipe.stage2.batch_norm == "averages"
        assert find_recipe(name, "cross-entropy").views.count == 1


def rate(optimizer: OptimizerConfig, batch_size: int) -> float:
    return optimizer.lr * (batch_size / 256 if optimizer.lr_rule == "batch" else 1)


@pytest.mark.parametrize(
    ("name", "batch_size", "lr", "weight_decay", "epochs", "augmentation"),
    [
        ("cifar10-resnet50", 1024, 0.5, 1e-4, 1000, "sim-augment"),
        ("cifar100-resnet50-simclr", 1024, 0.5, 1e-4, 1000, "sim-augment"),
        ("cifar10-resnet50-cross-entropy", 1024, 0.8, 1e-4, 500, "crop-flip"),
    ],
)
def test_stage_1_is_the_authors(
    name: str, batch_size: int, lr: float, weight_decay: float, epochs: int, augmentation: str
) -> None:
    recipe = find_recipe(name)
    optimizer = recipe.stage1.optimizer
    assert (recipe.stage1.batch_size, recipe.stage1.epochs) == (batch_size, epochs)
    assert rate(optimizer, batch_size) == pytest.approx(lr)
    assert optimizer.weight_decay == weight_decay
    assert recipe.views.augmentation == augmentation

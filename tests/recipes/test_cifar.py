"""The CIFAR recipes against the authors' values."""

import pytest

from references.authors_stage1 import AuthorsStage1
from supcon.recipes import find_recipe

FAMILIES = ["cifar10-resnet50", "cifar100-resnet50"]


def test_cifar_recipes_do_what_torchvision_does() -> None:
    for name in FAMILIES:
        recipe = find_recipe(name)
        assert (recipe.views.crop_law, recipe.views.jitter_kind) == ("torchvision", "torchvision")
        assert recipe.stage2.batch_norm == "averages"
        assert find_recipe(name, "cross-entropy").views.count == 1


@pytest.mark.parametrize(
    "stage",
    [
        AuthorsStage1("cifar10-resnet50", 1024, 0.5, 1e-4, 1000, "sim-augment"),
        AuthorsStage1("cifar100-resnet50-simclr", 1024, 0.5, 1e-4, 1000, "sim-augment"),
        AuthorsStage1("cifar10-resnet50-cross-entropy", 1024, 0.8, 1e-4, 500, "crop-flip"),
    ],
)
def test_stage_1_is_the_authors(stage: AuthorsStage1) -> None:
    stage.check()

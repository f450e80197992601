"""The ImageNet recipes against the authors' values."""

import pytest

from references.authors_stage1 import AuthorsStage1, rate
from supcon.recipes import find_recipe

FAMILIES = [f"imagenet-resnet{depth}" for depth in (50, 101, 200)]


@pytest.mark.parametrize("name", FAMILIES)
def test_stage_2_on_imagenet_is_the_authors(name: str) -> None:
    stage = find_recipe(name).stage2
    assert stage.optimizer.name == "rmsprop"
    assert rate(stage.optimizer, stage.batch_size) == pytest.approx(0.05 * stage.batch_size / 256)
    assert (stage.label_smoothing, stage.views.count) == (0.05, 1)
    assert stage.views.augmentation == find_recipe(name).views.augmentation


def test_the_queue_is_the_papers() -> None:
    recipe = find_recipe("imagenet-resnet50-queue")
    assert (recipe.loss.queue_size, recipe.projection.width, recipe.method) == (8192, 128, "supcon")


@pytest.mark.parametrize("name", FAMILIES)
def test_imagenet_recipes_do_what_tensorflow_does(name: str) -> None:
    for recipe in (find_recipe(name), find_recipe(name, "simclr"), find_recipe(name, "cross-entropy")):
        assert (recipe.views.crop_law, recipe.views.crop_aspect) == ("tensorflow", (0.75, 1.33))
        assert recipe.stage2.batch_norm == "batch"
        if recipe.views.augmentation in ("sim-augment", "stacked-rand-augment"):
            for views in (recipe.views, recipe.stage2.views):
                assert (views.jitter_kind, views.blur_sigma_per, views.blur_border) == ("tensorflow", "batch", "grey")
    cross_entropy = find_recipe(name, "cross-entropy")
    assert (cross_entropy.views.count, cross_entropy.stage1.learn_from) == (2, "first-view")


def test_plain_cross_entropy_with_one_view_has_a_name() -> None:
    recipe = find_recipe("imagenet-resnet50-cross-entropy-one-view")
    assert (recipe.method, recipe.views.count, recipe.stage1.learn_from) == ("cross-entropy", 1, "all-views")
    assert find_recipe("imagenet-resnet50-cross-entropy-one-view", "supcon").name == "imagenet-resnet50"
    assert find_recipe("digits", "cross-entropy").stage1.learn_from == "all-views"


@pytest.mark.parametrize(
    "stage",
    [
        AuthorsStage1("imagenet-resnet50", 6144, 9.6, 1e-3, 350, "auto-augment"),
        AuthorsStage1("imagenet-resnet101", 4096, 6.4, 1e-4, 350, "auto-augment"),
        AuthorsStage1("imagenet-resnet200", 4096, 3.2, 1e-4, 700, "stacked-rand-augment"),
        AuthorsStage1("imagenet-resnet50-simclr", 6144, 7.2, 1e-4, 100, "sim-augment"),
        AuthorsStage1("imagenet-resnet50-cross-entropy", 6144, 2.4, 1e-4, 200, "auto-augment"),
        AuthorsStage1("imagenet-resnet200-cross-entropy", 4096, 1.6, 1e-4, 700, "stacked-rand-augment"),
        AuthorsStage1("imagenet-resnet50-queue", 256, 0.03, 1e-4, 350, "auto-augment"),
    ],
)
def test_stage_1_is_the_authors(stage: AuthorsStage1) -> None:
    stage.check()

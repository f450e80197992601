"""The recipes of the paper's models against the authors' own figures."""

import inspect
import re

import pytest

from supcon.recipes import RECIPES, find_recipe
from supcon.stages.config import OptimizerConfig

FAMILIES = [f"imagenet-resnet{depth}" for depth in (50, 101, 200)] + ["cifar10-resnet50", "cifar100-resnet50"]
SMALL = ["cifar10-small", "fashion-mnist-small", "fashion-mnist"]


def rate(optimizer: OptimizerConfig, batch_size: int) -> float:
    return optimizer.lr * (batch_size / 256 if optimizer.lr_rule == "batch" else 1)


@pytest.mark.parametrize(
    ("name", "batch_size", "lr", "weight_decay", "epochs", "augmentation"),
    [
        ("imagenet-resnet50", 6144, 9.6, 1e-3, 350, "auto-augment"),
        ("imagenet-resnet101", 4096, 6.4, 1e-4, 350, "auto-augment"),
        ("imagenet-resnet200", 4096, 3.2, 1e-4, 700, "stacked-rand-augment"),
        ("imagenet-resnet50-simclr", 6144, 7.2, 1e-4, 100, "sim-augment"),
        ("imagenet-resnet50-cross-entropy", 6144, 2.4, 1e-4, 200, "auto-augment"),
        ("imagenet-resnet200-cross-entropy", 4096, 1.6, 1e-4, 700, "stacked-rand-augment"),
        ("imagenet-resnet50-queue", 256, 0.03, 1e-4, 350, "auto-augment"),
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


@pytest.mark.parametrize("name", FAMILIES[:3])
def test_stage_2_on_imagenet_is_the_authors(name: str) -> None:
    stage = find_recipe(name).stage2
    assert stage.optimizer.name == "rmsprop"
    assert rate(stage.optimizer, stage.batch_size) == pytest.approx(0.05 * stage.batch_size / 256)
    assert (stage.label_smoothing, stage.views.count) == (0.05, 1)
    assert stage.views.augmentation == find_recipe(name).views.augmentation


@pytest.mark.parametrize("name", [*FAMILIES, *SMALL, "digits", "folder"])
def test_every_family_has_its_baselines(name: str) -> None:
    assert {f"{name}-simclr", f"{name}-cross-entropy"} <= set(RECIPES)
    for method in ("simclr", "cross-entropy"):
        recipe = find_recipe(name, method)
        assert (recipe.method, recipe.data, recipe.encoder.name) == (
            *(method, find_recipe(name).data, find_recipe(name).encoder.name),
        )
    assert not find_recipe(name, "cross-entropy").encoder.normalize_representation


TOP1 = {
    "cifar10-resnet50": ("96.0", "Table 2"),
    "cifar10-resnet50-simclr": ("93.6", "Table 2"),
    "cifar10-resnet50-cross-entropy": ("95.0", "Table 2"),
    "cifar100-resnet50": ("76.5", "Table 2"),
    "cifar100-resnet50-simclr": ("70.7", "Table 2"),
    "cifar100-resnet50-cross-entropy": ("75.3", "Table 2"),
    "imagenet-resnet50": ("78.7", "Table 3"),
    "imagenet-resnet50-simclr": ("70.2", "Table 2"),
    "imagenet-resnet50-cross-entropy": ("77.6", "Table 3"),
    "imagenet-resnet50-queue": ("79.1", "Sec. 4.1"),
    "imagenet-resnet101": ("80.2", "Table 3"),
    "imagenet-resnet200": ("81.4", "Table 3"),
    "imagenet-resnet200-cross-entropy": ("80.9", "Table 3"),
}
"""Top-1 accuracies as the paper prints them, and where."""


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_quotes_the_papers_result_and_no_other(name: str) -> None:
    quoted = re.findall(r"([\d.]+) % top-1 in the paper's (Table \d|Sec\. [\d.]*\d)", doc(name))
    assert quoted == ([TOP1[name]] if name in TOP1 else [])


SOURCES = (
    r"The authors' \w+\.sh|authors' PyTorch code|authors have no script|The paper says|the best of|the better one of"
    r"|chosen on validation images"
)


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_says_where_its_values_come_from(name: str) -> None:
    """From the authors, the paper or a search; or it names another recipe whose values it has, which says so."""
    seen, todo = set(), [name]
    while todo:
        current = todo.pop()
        if re.search(SOURCES, doc(current)):
            return
        seen.add(current)
        todo += [other for other in mentioned(current) if other not in seen]
    pytest.fail(f"{name} names no source of its values and no recipe that does")


def doc(name: str) -> str:
    return " ".join((inspect.getdoc(RECIPES[name]) or "").split())


def mentioned(name: str) -> list[str]:
    """The recipes that a docstring names as its source: `as digits`, `that of cifar10-small`, `the recipe folder`."""
    found = re.findall(r"\b(?:[Aa]s|of|recipe) ([a-z][\w-]*\w)", doc(name))
    return [other for other in found if other in RECIPES and other != name]


def test_the_queue_is_the_papers() -> None:
    recipe = find_recipe("imagenet-resnet50-queue")
    assert (recipe.loss.queue_size, recipe.projection.width, recipe.method) == (8192, 128, "supcon")


def test_the_authors_normalise_on_imagenet_and_not_on_cifar() -> None:
    assert [find_recipe(name).encoder.normalize_representation for name in FAMILIES] == [True] * 3 + [False] * 2


@pytest.mark.parametrize("name", FAMILIES[:3])
def test_imagenet_recipes_do_what_tensorflow_does(name: str) -> None:
    for recipe in (find_recipe(name), find_recipe(name, "simclr"), find_recipe(name, "cross-entropy")):
        assert (recipe.views.crop_law, recipe.views.crop_aspect) == ("tensorflow", (0.75, 1.33))
        assert recipe.stage2.batch_norm == "batch"
        if recipe.views.augmentation in ("sim-augment", "stacked-rand-augment"):
            for views in (recipe.views, recipe.stage2.views):
                assert (views.jitter_kind, views.blur_sigma_per, views.blur_border) == ("tensorflow", "batch", "grey")
    cross_entropy = find_recipe(name, "cross-entropy")
    assert (cross_entropy.views.count, cross_entropy.stage1.learn_from) == (2, "first-view")


def test_cifar_recipes_do_what_torchvision_does() -> None:
    for name in FAMILIES[3:]:
        recipe = find_recipe(name)
        assert (recipe.views.crop_law, recipe.views.jitter_kind) == ("torchvision", "torchvision")
        assert recipe.stage2.batch_norm == "averages"
        assert find_recipe(name, "cross-entropy").views.count == 1


def test_plain_cross_entropy_with_one_view_has_a_name() -> None:
    recipe = find_recipe("imagenet-resnet50-cross-entropy-one-view")
    assert (recipe.method, recipe.views.count, recipe.stage1.learn_from) == ("cross-entropy", 1, "all-views")
    assert find_recipe("imagenet-resnet50-cross-entropy-one-view", "supcon").name == "imagenet-resnet50"
    assert find_recipe("digits", "cross-entropy").stage1.learn_from == "all-views"


@pytest.mark.parametrize("name", ["imagenet-resnet50", "digits", "folder"])
def test_n_pairs_has_one_view_and_no_temperature(name: str) -> None:
    recipe = find_recipe(name, "n-pairs")
    assert (recipe.views.count, recipe.loss.temperature) == (1, 1.0)
    assert find_recipe(name).views.count == 2

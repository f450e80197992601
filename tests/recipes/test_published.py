"""The recipes of the paper's models against the authors' own figures."""

import inspect
import re

import pytest

from supcon.recipes import RECIPES, find_recipe

FAMILIES = [f"imagenet-resnet{depth}" for depth in (50, 101, 200)] + ["cifar10-resnet50", "cifar100-resnet50"]
SMALL = ["folder-small", "small-photos", "cifar10-small", "cifar10-500", "fashion-mnist-small", "fashion-mnist"]


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


def test_the_authors_normalise_on_imagenet_and_not_on_cifar() -> None:
    assert [find_recipe(name).encoder.normalize_representation for name in FAMILIES] == [True] * 3 + [False] * 2


@pytest.mark.parametrize("name", ["imagenet-resnet50", "digits", "folder"])
def test_n_pairs_has_one_view_and_no_temperature(name: str) -> None:
    recipe = find_recipe(name, "n-pairs")
    assert (recipe.views.count, recipe.loss.temperature) == (1, 1.0)
    assert find_recipe(name).views.count == 2

"""Finds recipes by name."""

import difflib
from collections.abc import Callable
from dataclasses import replace

from supcon.base.errors import RequestError
from supcon.data import NAMES
from supcon.recipes import cifar, cifar_small, digits_recipes, fashion_mnist, folder_recipes, imagenet, photos
from supcon.recipes.recipe import METHODS, Method, Recipe

RECIPES: dict[str, Callable[[], Recipe]] = {
    function().name: function
    for function in (
        digits_recipes.digits,
        digits_recipes.digits_simclr,
        digits_recipes.digits_cross_entropy,
        photos.photos,
        photos.photos_simclr,
        photos.photos_cross_entropy,
        photos.small_photos,
        photos.small_photos_simclr,
        photos.small_photos_cross_entropy,
        folder_recipes.folder,
        folder_recipes.folder_simclr,
        folder_recipes.folder_cross_entropy,
        folder_recipes.folder_small,
        folder_recipes.folder_small_simclr,
        folder_recipes.folder_small_cross_entropy,
        fashion_mnist.fashion_mnist_small,
        fashion_mnist.fashion_mnist_small_simclr,
        fashion_mnist.fashion_mnist_small_cross_entropy,
        fashion_mnist.fashion_mnist,
        fashion_mnist.fashion_mnist_simclr,
        fashion_mnist.fashion_mnist_cross_entropy,
        cifar_small.cifar10_small,
        cifar_small.cifar10_small_simclr,
        cifar_small.cifar10_small_cross_entropy,
        cifar_small.cifar10_500,
        cifar_small.cifar10_500_simclr,
        cifar_small.cifar10_500_cross_entropy,
        cifar.cifar10_resnet50,
        cifar.cifar10_resnet50_simclr,
        cifar.cifar10_resnet50_cross_entropy,
        cifar.cifar100_resnet50,
        cifar.cifar100_resnet50_simclr,
        cifar.cifar100_resnet50_cross_entropy,
        imagenet.imagenet_resnet50,
        imagenet.imagenet_resnet50_simclr,
        imagenet.imagenet_resnet50_cross_entropy,
        imagenet.imagenet_resnet50_cross_entropy_one_view,
        imagenet.imagenet_resnet50_queue,
        imagenet.imagenet_resnet101,
        imagenet.imagenet_resnet101_simclr,
        imagenet.imagenet_resnet101_cross_entropy,
        imagenet.imagenet_resnet200,
        imagenet.imagenet_resnet200_simclr,
        imagenet.imagenet_resnet200_cross_entropy,
    )
}


def find_recipe(name: str, method: Method | None = None) -> Recipe:
    """The recipe called `name`; for a `method` other than its own, the variant made for that method.

    >>> find_recipe("digits", "cross-entropy").name
    'digits-cross-entropy'
    >>> find_recipe("digits-triplet").method
    'triplet'
    """
    if method is not None and method not in METHODS:
        raise RequestError(f"There is no method called {method!r}; the methods are {', '.join(METHODS)}.")
    recipe = RECIPES[name]() if name in RECIPES else _by_family_and_method(name)
    if recipe is None:
        near = difflib.get_close_matches(name, RECIPES, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"the recipes are {', '.join(RECIPES)}."
        raise RequestError(f"There is no recipe called {name!r}; {hint}")
    if method is None or method == recipe.method:
        return recipe
    return _variant(name.removesuffix("-one-view").removesuffix(f"-{recipe.method}"), method)


def _by_family_and_method(name: str) -> Recipe | None:
    """The recipe `FAMILY-METHOD` for a family without its own recipe for that method; None if there is no such
    family."""
    for method in METHODS:
        family = name.removesuffix(f"-{method}")
        if family in RECIPES and family != name:
            return _variant(family, method)
    return None


def _variant(family: str, method: Method) -> Recipe:
    """The family's recipe for a method, or its most similar recipe with the method replaced."""
    if method == "supcon":
        return RECIPES[family]()
    name = f"{family}-{method}"
    if name in RECIPES:
        return RECIPES[name]()
    # Methods that train a classifier need the values of cross-entropy: its rate, and no normalized representation.
    nearest = family if METHODS[method].contrastive else f"{family}-cross-entropy"
    recipe = RECIPES.get(nearest, RECIPES[family])()
    # The paper derives N-pairs from Eq. 2 with temperature 1 and one view per image: it names a lower temperature and
    # several views as what N-pairs lacks (Sec. 4.1). A row's positive is then the view of another image.
    if method == "n-pairs":
        recipe = replace(recipe, loss=replace(recipe.loss, temperature=1.0), views=replace(recipe.views, count=1))
    # A classifier that is trained with the encoder does not fit to encoder weights that are mixed afterwards.
    stage1 = recipe.stage1 if METHODS[method].stage2 else replace(recipe.stage1, pretrained_share=0.0)
    return replace(recipe, name=name, method=method, stage1=stage1)


def recipe_for(spec: str) -> str | None:
    """The recipe with the name of the data; None if there is none, and `choose_recipe` decides by the images."""
    return spec if spec in NAMES and spec in RECIPES else None


def needs_gpu(name: str) -> bool:
    """Whether there is a recipe for a CPU on the same data, `NAME-small`.

    >>> needs_gpu("fashion-mnist"), needs_gpu("digits")
    (True, False)
    """
    return f"{name}-small" in RECIPES

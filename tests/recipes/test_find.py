import subprocess
import sys
from dataclasses import replace
from typing import get_args

import pytest

from supcon.base.errors import RequestError
from supcon.recipes import RECIPES, Method, find_recipe, recipe_for

METHODS = get_args(Method)
FAMILIES = ("digits", "folder", "photos", "small-photos")


def test_every_recipe_is_found_under_its_own_name_and_says_what_it_is() -> None:
    for name, function in RECIPES.items():
        assert find_recipe(name) == function()
        assert find_recipe(name).name == name
        assert (function.__doc__ or "").strip()


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("start", METHODS)
def test_any_variant_leads_to_any_method(family: str, start: Method, method: Method) -> None:
    first = find_recipe(family, start)
    found = find_recipe(first.name, method)
    assert found.method == method
    assert found.name == (family if method == "supcon" else f"{family}-{method}")
    assert found == find_recipe(family, method)


@pytest.mark.parametrize("family", FAMILIES)
def test_variants_differ_only_in_what_their_method_needs(family: str) -> None:
    supcon, simclr, baseline = (find_recipe(family, method) for method in ("supcon", "simclr", "cross-entropy"))
    assert (simclr.encoder, simclr.views, simclr.stage1, simclr.stage2) == (
        *(supcon.encoder, supcon.views, supcon.stage1, supcon.stage2),
    )
    assert (baseline.data, baseline.views, baseline.seed) == (supcon.data, supcon.views, supcon.seed)
    assert (baseline.encoder.name, baseline.encoder.width) == (supcon.encoder.name, supcon.encoder.width)
    assert baseline.stage1.pretrained_share == 0
    assert (baseline.stage1.epochs, baseline.stage1.batch_size) == (supcon.stage1.epochs, supcon.stage1.batch_size)
    assert supcon.encoder.normalize_representation


def test_a_method_without_a_recipe_takes_the_nearest() -> None:
    nearest: dict[Method, str] = {
        "cross-entropy-two-stage": "digits-cross-entropy",
        "large-margin": "digits-cross-entropy",
        "supcon-in": "digits",
        "triplet": "digits",
        "joint": "digits",
    }
    for method, name in nearest.items():
        found = find_recipe("digits", method)
        assert found == replace(find_recipe(name), name=f"digits-{method}", method=method)
        assert find_recipe(found.name) == found
    assert find_recipe("digits-n-pairs").loss.temperature == 1
    with pytest.raises(RequestError, match="There is no recipe called 'nothing-triplet'"):
        find_recipe("nothing-triplet")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("digit", "did you mean 'digits'?"),
        ("foldr", "did you mean 'folder'?"),
        ("digits-simclear", "did you mean 'digits-simclr'?"),
        ("zzz", f"the recipes are {', '.join(RECIPES)}."),
        ("", f"the recipes are {', '.join(RECIPES)}."),
    ],
)
def test_an_unknown_name_gets_the_nearest_one(name: str, hint: str) -> None:
    with pytest.raises(RequestError) as caught:
        find_recipe(name)
    assert str(caught.value) == f"There is no recipe called {name!r}; {hint}"


@pytest.mark.parametrize(
    ("spec", "recipe"),
    [
        ("digits", "digits"),
        ("photos/", None),
        ("/a/digits", None),
        ("photos", None),
        ("fashion-mnist", "fashion-mnist"),
    ],
)
def test_data_with_a_recipe_of_its_name_finds_it_and_other_data_none(spec: str, recipe: str | None) -> None:
    assert recipe_for(spec) == recipe


def test_a_method_that_is_none_is_refused() -> None:
    """In a process of its own: in the tests, arguments of a wrong type are refused by the type checker before."""
    words = "from supcon.recipes import find_recipe; find_recipe('digits', 'nonsense')"
    ended = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=False, timeout=240)
    assert "RequestError: There is no method called 'nonsense'; the methods are supcon, " in ended.stderr

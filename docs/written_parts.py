"""Writes what pages repeat of the code, so that it can be read on GitHub: `python docs/written_parts.py`.

A comment in a page marks such a part, and `tests/test_docs.py` checks that each is up to date:

- `<!-- examples/NAME.py -->` before a block of code: the text of the example;
- `<!-- names of supcon.losses: SupConLoss ... -->` up to `<!-- end -->`: a table of public names;
- `<!-- recipes -->` up to `<!-- end -->`: every recipe, with the source of its values.
"""

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

from supcon.recipes import RECIPES, Recipe, find_recipe, flat_values, recipe_to_values

ROOT = Path(__file__).parents[1]

ALWAYS_SHOWN = {
    "encoder.name",
    "loss.temperature",
    *(f"{stage}.{name}" for stage in ("stage1", "stage2") for name in ("epochs", "batch_size", "optimizer.lr")),
}
"""Options of a recipe that its table has even if they are the defaults."""


def up_to_date(page: str) -> str:
    """The text of a page, with its marked parts written anew."""
    page = re.sub(r"(<!-- (examples/\w+\.py) -->\n)```python\n.*?```\n", _example, page, flags=re.DOTALL)
    page = re.sub(r"(<!-- names of ([\w.]+): ([^>]*) -->\n).*?<!-- end -->", _names, page, flags=re.DOTALL)
    return re.sub(r"(<!-- recipes -->\n).*?<!-- end -->", _recipes, page, flags=re.DOTALL)


def _example(found: re.Match[str]) -> str:
    return f"{found[1]}```python\n{(ROOT / found[2]).read_text(encoding='utf-8')}```\n"


def _names(found: re.Match[str]) -> str:
    package = import_module(found[2])
    rows = [(f"`{found[2]}.{name}`", _sentence(getattr(package, name))) for name in found[3].split()]
    return f"{found[1]}\n{_table(('name', 'what it is'), rows)}\n\n<!-- end -->"


def _sentence(value: object) -> str:
    """The first sentence of a docstring."""
    text = " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())
    return re.split(r"(?<=[^.][.]) (?=[A-Z`])", text)[0]


def _recipes(found: re.Match[str]) -> str:
    modules = dict.fromkeys(inspect.getmodule(function) for function in RECIPES.values())
    return found[1] + "\n" + "\n\n".join([*(_module_section(module) for module in modules if module), "<!-- end -->"])


def _module_section(module: ModuleType) -> str:
    title, *text = (inspect.getdoc(module) or "").split("\n\n")
    parts = [f"## {_one_line(title).rstrip('.')}", *map(_one_line, text)]
    if groups := _documented_groups(module):
        rows = [(f"`{name}`", _set_values(getattr(module, name)), source) for name, source in groups.items()]
        parts.append(_table(("values used by several recipes", "set to", "source"), rows))
    own = {name: function for name, function in RECIPES.items() if inspect.getmodule(function) is module}
    for family in dict.fromkeys(map(_family, own)):
        parts.append(_family_section({name: own[name] for name in own if _family(name) == family}))
    return "\n\n".join(parts)


def _family(name: str) -> str:
    """The name of the recipe that `name` is a variant of.

    >>> _family("digits-cross-entropy")
    'digits'
    """
    return re.sub(r"-(simclr|cross-entropy|cross-entropy-one-view|queue)$", "", name)


def _family_section(recipes: dict[str, Callable[[], Recipe]]) -> str:
    texts = [f"### `{name}`\n\n{_paragraphs(inspect.getdoc(function) or '')}" for name, function in recipes.items()]
    values = {name: _changed(find_recipe(name)) for name in recipes}
    options = [name for name in _defaults() if name in ALWAYS_SHOWN.union(*values.values())]
    shown = {name: {**_defaults(), **changed} for name, changed in values.items()}
    rows = [(f"`{option}`", *(_text(shown[name][option]) for name in recipes)) for option in options]
    table = _table(("option", *(f"`{name}`" for name in recipes)), rows)
    return "\n\n".join([*texts, f"Values of {_and(recipes)}; every other option has its default:", table])


@cache
def _defaults() -> dict[str, Any]:
    return _values(Recipe(name=""))


def _changed(recipe: Recipe) -> dict[str, Any]:
    return {option: value for option, value in _values(recipe).items() if value != _defaults()[option]}


def _values(recipe: Recipe) -> dict[str, Any]:
    flat = flat_values(recipe_to_values(recipe))
    return {name: value for name, value in flat.items() if name != "recipe"}


def _documented_groups(module: ModuleType) -> dict[str, str]:
    """Constants of a module that hold settings, with the text below them."""
    body = ast.parse(inspect.getsource(module)).body
    return {
        node.targets[0].id: _one_line(text.value.value)
        for node, text in pairwise(body)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
    }


def _set_values(group: Any) -> str:
    """The values of settings that are not the default."""
    default = type(group)()
    changed = {item.name: getattr(group, item.name) for item in fields(group)}
    return ", ".join(f"{name} {_text(value)}" for name, value in changed.items() if value != getattr(default, name))


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value) if isinstance(value, str) else json.dumps(value)


def _and(names: Iterable[str]) -> str:
    *first, last = (f"`{name}`" for name in names)
    return f"{', '.join(first)} and {last}" if first else last


def _paragraphs(text: str) -> str:
    return "\n\n".join(map(_one_line, text.split("\n\n")))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


if __name__ == "__main__":
    for page in sorted((ROOT / "docs").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        if text != up_to_date(text):
            page.write_text(up_to_date(text), encoding="utf-8")
            print(f"wrote {page.name}")

"""Values read back from JSON and YAML files, checked against their types: the one place that does it."""

import json
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import yaml

from supcon.base.bounded_reading import read_text
from supcon.base.errors import RequestError

Kind = TypeVar("Kind")
TRAIN_AGAIN = "run the training again"


def read_json(path: Path, advice: str = TRAIN_AGAIN) -> dict[str, Any]:
    """The named values of a JSON file."""
    return _read(path, json.loads, advice)


def read_yaml(path: Path, advice: str = TRAIN_AGAIN, *, empty: bool = False) -> dict[str, Any]:
    """The named values of a YAML file without aliases; `empty`: whether it may have none."""
    return _read(path, lambda text: {} if (values := parse_yaml(text)) is None and empty else values, advice)


def read_own_yaml(path: Path, advice: str = TRAIN_AGAIN) -> dict[str, Any]:
    """The named values of a file of `write_yaml`, which has to be complete.

    A YAML file that was cut between two lines is a YAML file with fewer values. A file without the
    mark of the start is of an earlier version and is not checked.
    """

    def parse(text: str) -> Any:
        if text.startswith("---") and text.rstrip("\n").rpartition("\n")[2] != "...":
            raise ValueError("its end is missing")
        return parse_yaml(text)

    return _read(path, parse, advice)


def parse_yaml(text: str) -> Any:
    """YAML of plain values. Aliases are refused: a few lines of them can stand for billions of values, or for a loop.

    >>> parse_yaml("a: [1, 2]")
    {'a': [1, 2]}
    """
    return yaml.load(text, _PlainLoader)


class _PlainLoader(yaml.SafeLoader):
    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("it has an alias (*name), which is not supported; write the value out")
        return super().compose_node(parent, index)


def _read(path: Path, parse: Callable[[str], Any], advice: str) -> dict[str, Any]:
    text = read_text(path, advice)
    try:
        values = parse(text)
    except (ValueError, yaml.YAMLError) as error:
        raise RequestError(f"{path} is damaged ({' '.join(str(error).split())}); {advice}.") from error
    except RecursionError as error:
        raise RequestError(f"{path} is damaged (its values are nested too deeply); {advice}.") from error
    if not isinstance(values, dict) or not all(isinstance(name, str) for name in values):
        raise RequestError(f"{path} is damaged (it has no named values); {advice}.")
    return values


def from_values(kind: type[Kind], values: Mapping[str, Any]) -> Kind:
    """A dataclass from the values of a file, each checked against the type of its field; ValueError otherwise."""
    hints = get_type_hints(kind)
    for name in values:
        if name not in hints:
            raise ValueError(f"{name} is unknown")
    for item in fields(kind):  # type: ignore[arg-type]
        if item.name in values:
            check_value(values[item.name], hints[item.name], item.name)
        elif item.default is MISSING and item.default_factory is MISSING:
            raise ValueError(f"{item.name} is missing")
    return kind(**values)


def check_value(value: Any, kind: Any, name: str) -> None:
    """Raises a ValueError if a value is not of the type `kind`; an int is accepted as a float, a bool as neither.

    >>> check_value({"a": 1.5}, Mapping[str, float], "counts")
    """
    if not _fits(value, kind):
        shown = " ".join(repr(value).split())
        raise ValueError(f"{name} must be {_words(kind)}, got {shown if len(shown) < 60 else shown[:57] + '...'}")


def _fits(value: Any, kind: Any) -> bool:
    origin, parts = get_origin(kind), get_args(kind)
    if kind is Any:
        return True
    if origin in (Union, types.UnionType):
        return any(_fits(value, part) for part in parts)
    if origin is Literal:
        return any(isinstance(value, type(part)) and value == part for part in parts)
    if origin in (Sequence, list, tuple):
        listed = isinstance(value, Sequence) and not isinstance(value, str | bytes)
        return listed and all(_fits(item, parts[0]) for item in value)
    if origin in (Mapping, dict):
        return isinstance(value, Mapping) and all(_fits(k, parts[0]) and _fits(v, parts[1]) for k, v in value.items())
    if kind in (int, float):  # numpy's numbers are numbers too
        return isinstance(value, Integral if kind is int else Real) and not isinstance(value, bool)
    return isinstance(value, kind if isinstance(kind, type) else type(None))


def _words(kind: Any) -> str:
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Sequence, list, tuple):
        return f"a list, each item {_words(parts[0])}"
    if origin in (Mapping, dict):
        return "named values" if parts[1] is Any else f"named values, each {_words(parts[1])}"
    if parts:
        shown = [part for part in parts if not (part is str and Path in parts)]
        return " or ".join(_words(part) if origin is not Literal else repr(part) for part in shown)
    names = {int: "a whole number", float: "a number", str: "text", bool: "true or false", Path: "a path"}
    return names.get(kind, "None" if kind is type(None) else f"a {getattr(kind, '__name__', 'plain value')}")

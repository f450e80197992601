"""Checks the arguments of a public function by its annotations, so that a wrong one gives a one-sentence error."""

import errno
import os
import re
import types
from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from inspect import signature
from numbers import Integral
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from supcon.base.errors import RequestError, system_reason
from supcon.base.stored_values import check_value

_NO_FILE = re.compile(r"[a-z]+:")
"""The prefix of arguments that are not paths although a path may be given: `webdataset:...`, `hf:...`, `class:...`."""
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def checked_arguments(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """The function, which first raises a RequestError for an argument that does not have the annotated type.

    Whole numbers of numpy become those of Python, and a text for a parameter that takes a `Path` must be one. An
    annotation with other parts than plain values, choices, paths, lists of these and classes is not checked.
    """
    parameters = signature(function)
    hints = cache(lambda: get_type_hints(function))

    @wraps(function)
    def checked(*given: Arguments.args, **named: Arguments.kwargs) -> Result:
        bound = parameters.bind(*given, **named)
        for name, value in bound.arguments.items():
            kind = hints().get(name, Any)
            if _is_plain(kind):
                bound.arguments[name] = check_argument(value, kind, name)
        return function(*bound.args, **bound.kwargs)

    return checked


def check_argument(value: Any, kind: Any, name: str) -> Any:
    """The value, with integers of numpy as Python's; a RequestError if it is not of the type `kind`.

    >>> check_argument(3, int | None, "k")
    3
    """
    try:
        check_value(value, kind, name)
    except ValueError as error:
        raise RequestError(f"{error}.") from error
    _check_paths(value, kind, name)
    return value if isinstance(value, bool) or not isinstance(value, Integral) else int(value)


def _check_paths(value: Any, kind: Any, name: str) -> None:
    """Checks a text, or every text of a list, that stands for a path."""
    for part in (kind, *get_args(kind)):
        if part is Path and isinstance(value, str | Path) and not _NO_FILE.match(str(value)):
            checked_path(value, name)
        elif get_origin(part) is Sequence and not isinstance(value, str):
            for item in value:
                _check_paths(item, get_args(part)[0], name)


def checked_path(given: str | Path, name: str) -> Path:
    """The path, with ~ written out; a RequestError for what can be no path here: empty, too long, of no such user."""
    if given == "":
        raise RequestError(f"{name} is empty; give a path.")
    try:
        path = Path(given).expanduser()
        os.lstat(path)
    except RuntimeError as error:
        raise RequestError(f"{name} has the home of a user who does not exist here: {given}; give a path.") from error
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise RequestError(f"{name} is no path: {system_reason(error)}: {given}; give a shorter one.") from error
    except ValueError as error:
        raise RequestError(f"{name} is no path: {error}: {str(given)!r}; give a path.") from error
    return path


def _is_plain(kind: Any) -> bool:
    """Whether a value can be compared with an annotation."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType, Sequence, Mapping):
        return all(_is_plain(part) for part in parts)
    return origin in (None, Literal)


def check_suffix(option: str, path: str | Path | None, *suffixes: str) -> None:
    """Raises an error if a file was given whose name has none of the endings, by which its format is chosen.

    >>> check_suffix("--out", "found.html", ".html")
    """
    if path is not None and Path(path).suffix not in suffixes:
        raise RequestError(f"{option} must end in {' or '.join(suffixes)}, got {Path(path).name!r}.")

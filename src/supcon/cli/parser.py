"""A command's parser: every mistake becomes one sentence with the nearest right name."""

import difflib
import re
from collections.abc import Sequence
from typing import Any, Literal, NoReturn, get_args, get_origin

from jsonargparse import ArgumentError, ArgumentParser, Namespace, set_parsing_settings

from supcon.base.errors import RequestError

set_parsing_settings(docstring_parse_attribute_docstrings=True)


class CommandParser(ArgumentParser):
    """jsonargparse's parser, but abbreviations are refused and errors are `RequestError`."""

    def __init__(self, command: str, description: str, usage: str) -> None:
        super().__init__(
            prog=f"supcon {command}",
            description=description,
            usage=f"supcon {command} {usage}",
            exit_on_error=False,
            allow_abbrev=False,
        )
        self.add_argument("--debug", action="store_true", help="Show a traceback where something goes wrong.")

    def add_config_option(self) -> None:
        """`--config F`: values from a YAML file, for example the recipe.yaml of a run."""
        self.add_argument("--config", action="config", help="YAML file of values, such as a run's recipe.yaml.")

    def parse(self, arguments: Sequence[str]) -> Namespace:
        """Parses; values are checked and have their types, dataclasses are built by `instantiate`."""
        self._refuse_unknown_options(arguments)
        try:
            return self.parse_args(list(arguments))
        except ArgumentError as error:
            raise RequestError(self._sentence(error.message)) from error

    def error(self, message: str, ex: Exception | None = None) -> NoReturn:
        raise RequestError(self._sentence(message)) from ex

    def _refuse_unknown_options(self, arguments: Sequence[str]) -> None:
        known = [option for option in self._option_string_actions if option.startswith("--")]
        for argument in arguments:
            option = argument.split("=")[0]
            if argument.startswith("--") and option not in known:
                hint = did_you_mean(option, known) or f"`{self.prog} --help` lists the options."
                raise RequestError(f"There is no option {option}; {hint}")

    def _sentence(self, message: str) -> str:
        """jsonargparse's several lines about types as one sentence about the value."""
        found = re.match(r'Parser key "(?P<key>[^"]+)":', message)
        value = re.search(r"(?:Got value|Given value|value): (?P<value>.*)", message)
        if found is None or value is None:
            flat = " ".join(re.sub(r'^Parser key "([^"]+)":', r"--\1:", message).split())
            return flat[:1].upper() + flat[1:]
        key, given = found["key"], value["value"].strip()
        dashed = f"--{key.replace('_', '-')}"
        option = next((name for name in (f"--{key}", dashed) if name in self._option_string_actions), key)
        choices = self._choices(option)
        if choices:
            number = " or a number" if float in get_args(self._kind(option)) else ""
            hint = did_you_mean(given, choices) or ""
            return f"{option} must be one of {', '.join(choices)}{number}, got {given!r}. {hint}".rstrip()
        return f"{option} must be {self._expected(option)}, got {given!r}."

    def _choices(self, option: str) -> list[str]:
        kind = self._kind(option)
        literals = [part for part in (kind, *get_args(kind)) if get_origin(part) is Literal]
        return [str(word) for literal in literals for word in get_args(literal)]

    def _expected(self, option: str) -> str:
        kind = str(self._kind(option))
        names = {"int": "a whole number", "float": "a number", "tuple": "a list of numbers such as [0.5,1.0]"}
        for name in ("tuple", "float", "int"):
            if name in kind:
                return names[name]
        return "true or false" if "bool" in kind else "a text"

    def _kind(self, option: str) -> Any:
        return getattr(self._option_string_actions.get(option), "_typehint", None)


def did_you_mean(word: str, known: Sequence[str]) -> str | None:
    """A question with the nearest known name; the last part of a dotted name counts as near too.

    >>> did_you_mean("--epoch", ["--epochs", "--seed"])
    'did you mean --epochs?'
    """
    last_parts = {name.rsplit(".", 1)[-1].lstrip("-"): name for name in reversed(known)}
    last = word.rsplit(".", 1)[-1].lstrip("-")
    near = [last_parts[last]] if last in last_parts else difflib.get_close_matches(word, known, n=1)
    near = near or [last_parts[name] for name in difflib.get_close_matches(last, last_parts, n=1)]
    return f"did you mean {near[0]}?" if near else None

"""The text of `supcon COMMAND --help`, which is short, and of `--help-all`, which has every option in groups."""

from argparse import SUPPRESS, Action
from collections.abc import Sequence
from shutil import get_terminal_size
from textwrap import fill, wrap
from types import NoneType
from typing import Any, Literal, get_args, get_origin

_WIDEST = 100
_COLUMN = 24
"""Where descriptions start; the description of a longer option starts on the next line."""

Group = tuple[str, list[Action]]


def short_help(
    usage: str, about: str, examples: Sequence[str], groups: Sequence[Group], first: Sequence[str] | None
) -> str:
    """Arguments, and the options that are needed first; `first` None: all options."""
    actions = [action for _, members in groups for action in members]
    arguments = [action for action in actions if not action.option_strings]
    options = {name: action for action in actions for name in action.option_strings}
    chosen = [options[name] for name in first] if first is not None else list(dict.fromkeys(options.values()))
    hidden = len(actions) - len(arguments) - len(chosen)
    command = " ".join(usage.split()[:2])
    more = f"`{command} --help-all` lists {hidden} more options, in groups." if hidden else ""
    return _page(usage, about, examples, [("arguments", arguments), ("options", chosen)], more)


def whole_help(usage: str, about: str, examples: Sequence[str], groups: Sequence[Group]) -> str:
    """Every argument and option, in groups."""
    dotted = any(_name(action).count(".") for _, actions in groups for action in actions)
    more = (
        "An option with a dot in its name is a value of the recipe, and has the recipe's value unless it is set: "
        "`supcon recipes NAME` prints all of them."
    )
    return _page(usage, about, examples, groups, more if dotted else "")


def _page(usage: str, about: str, examples: Sequence[str], groups: Sequence[Group], more: str) -> str:
    parts = [f"usage: {usage}", _paragraph(about)]
    if examples:
        parts.append("\n".join([f"example{'s' if len(examples) > 1 else ''}:", *(f"  {line}" for line in examples)]))
    for title, actions in groups:
        if actions:
            heading = fill(title if ":" in title else f"{title}:", _width())
            parts.append("\n".join([heading, *(line for action in actions for line in _entry(action))]))
    return "\n\n".join([*parts, *([_paragraph(more)] if more else [])]) + "\n"


def _entry(action: Action) -> list[str]:
    """An option as `  --name VALUE   what it does`, in as many lines as it needs."""
    head = f"  {_invocation(action)}"
    lines = wrap(_description(action), _width() - _COLUMN, break_on_hyphens=False) or [""]
    indented = [" " * _COLUMN + line for line in lines]
    if len(head) > _COLUMN - 2:
        return [head, *indented]
    return [f"{head:<{_COLUMN}}{lines[0]}", *indented[1:]]


def _invocation(action: Action) -> str:
    if not action.option_strings:
        return str(action.metavar or action.dest)
    names = ", ".join(action.option_strings)
    given = str(action.metavar or "")
    shown = _value(_kind(action)) if not given or given[0] in "{[" else given  # {a,b}, [ITEM,...]: jsonargparse's own
    return names if action.nargs == 0 else f"{names} {shown}".rstrip()


def _value(kind: Any) -> str:
    """A placeholder that says what a value looks like."""
    kinds = [part for part in (get_args(kind) if _is_union(kind) else (kind,)) if part is not NoneType]
    return "|".join(dict.fromkeys(_placeholder(part) for part in kinds)) or "TEXT"


def _placeholder(kind: Any) -> str:
    by_origin = {Literal: "NAME", tuple: "[X,...]", list: "[X,...]"}
    return by_origin.get(get_origin(kind)) or {bool: "true|false", int: "N", float: "X"}.get(kind, "TEXT")


def _description(action: Action) -> str:
    """The option's text, with its choices and its default if the text does not have them."""
    text, notes = " ".join((action.help or "").split()), []
    choices = literal_choices(_kind(action))
    if choices and not all(choice in text for choice in choices):
        notes.append(f"one of {', '.join(choices)}")
    if _shows_default(action) and "default" not in text.lower():
        notes.append(f"default: {action.default}")
    return f"{text.rstrip('.')} ({'; '.join(notes)})." if notes else text


def _shows_default(action: Action) -> bool:
    """Dotted options have the recipe's value; None and False are said in words."""
    known = action.default is not None and action.default is not False and action.default != SUPPRESS
    return bool(action.option_strings) and known and "." not in _name(action)


def literal_choices(kind: Any) -> list[str]:
    """The texts that a `Literal`, or a union with one, allows.

    >>> literal_choices(Literal["a", "b"] | None)
    ['a', 'b']
    """
    literals = [part for part in (kind, *get_args(kind)) if get_origin(part) is Literal]
    return [str(choice) for literal in literals for choice in get_args(literal)]


def _is_union(kind: Any) -> bool:
    return len(get_args(kind)) > 0 and get_origin(kind) not in (Literal, tuple, list)


def _kind(action: Action) -> Any:
    return getattr(action, "_typehint", None) or action.type


def _name(action: Action) -> str:
    return action.option_strings[-1] if action.option_strings else action.dest


def _paragraph(text: str) -> str:
    return "\n\n".join(fill(" ".join(part.split()), _width()) for part in text.split("\n\n"))


def _width() -> int:
    return min(get_terminal_size().columns, _WIDEST)

"""A command's argument parser: every error is one sentence that suggests the nearest valid name."""

import difflib
import re
from argparse import SUPPRESS, Action
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NoReturn, get_args

from jsonargparse import ArgumentError, ArgumentParser, Namespace, set_parsing_settings

from supcon.base.errors import RequestError
from supcon.base.stored_values import read_yaml
from supcon.cli.printing.help_text import Group, literal_choices, short_help, whole_help
from supcon.recipes import flat_values, refuse_plain_groups
from supcon.runs import open_complete_run

CONFIG_ADVICE = "give a YAML file of values with --config, such as a run's recipe.yaml"

_DEVICE_OPTIONS = ("--device", "--hardware.device")

_LAST = ("debug", "help", "help_all")
"""Options that every command has; help lists them after the command's own."""

set_parsing_settings(docstring_parse_attribute_docstrings=True)


class CommandParser(ArgumentParser):
    """jsonargparse's parser without abbreviations; errors are raised as `RequestError`.

    `first` are the options that `--help` shows, all if it is None; `--help-all` always shows all.
    """

    def __init__(
        self,
        command: str,
        description: str,
        usage: str,
        *,
        examples: Sequence[str] = (),
        first: Sequence[str] | None = None,
    ) -> None:
        super().__init__(
            prog=f"supcon {command}",
            description=description,
            usage=f"supcon {command} {usage}",
            exit_on_error=False,
            allow_abbrev=False,
            add_help=False,
        )
        self._examples = [f"supcon {command} {example}".rstrip() for example in examples]
        self._first = first
        self.add_argument("--debug", action="store_true", help="Show the traceback of an error.")
        if first is not None:
            self.add_argument("--help-all", action="store_true", default=SUPPRESS, help="Show all options, in groups.")
        shown = "this help" if first is None else "the options that are needed first"
        self.add_argument("-h", "--help", action="store_true", default=SUPPRESS, help=f"Show {shown}.")

    def format_help(self, formatter: object = None) -> str:
        """The text of --help: the options that are needed first."""
        return short_help(str(self.usage), str(self.description), self._examples, self._groups(), self._first)

    def format_whole_help(self) -> str:
        """The text of --help-all."""
        return whole_help(str(self.usage), str(self.description), self._examples, self._groups())

    def _groups(self) -> list[Group]:
        """The actions by group, without those of jsonargparse that take a whole group as one value."""
        names = [action.dest for action in self._actions]
        groups: dict[str, list[Action]] = {}
        for group in self._action_groups:
            for action in group._group_actions:
                if not _is_whole_group(action, names):
                    groups.setdefault(_heading(group.title or "", action), []).append(action)
        return [(title, sorted(actions, key=lambda action: action.dest in _LAST)) for title, actions in groups.items()]

    def add_config_option(self) -> None:
        """Adds `--config F`: values from a YAML file, for example the recipe.yaml of a run."""
        self.add_argument(
            "--config", action="config", metavar="F.yaml", help="YAML file of values, such as a run's recipe.yaml."
        )
        printing = self._option_string_actions["--print_config"]  # added by jsonargparse
        printing.help, printing.metavar = "Print all values as YAML, and exit.", " "

    def add_run(self) -> None:
        """Adds RUN, which `parse_for_run` checks."""
        self.add_argument("run", metavar="RUN", help="The run's folder.")

    def add_data_root(self) -> None:
        """Adds `--data-root FOLDER`."""
        self.add_argument("--data-root", type=str | None, metavar="FOLDER", help="Folder of the named data sets.")

    def add_download(self) -> None:
        """Adds `--download`."""
        self.add_argument(
            "--download", action="store_true", help="Download a named data set that is not found on disk."
        )

    def add_device(self, default: Literal["auto"] | None = "auto") -> None:
        """Adds `--device`; without a default, a recipe's value is used."""
        self.add_argument(
            "--device",
            type=Literal["auto", "cpu", "gpu"] if default else Literal["auto", "cpu", "gpu"] | None,
            default=default,
            help="cpu, gpu (or cuda, which is the same), or auto: a GPU if there is one.",
        )

    def parse_for_run(self, arguments: Sequence[str]) -> Namespace:
        """`parse`, and an error if RUN is no finished run: before torch is imported, which takes seconds."""
        parsed = self.parse(arguments)
        open_complete_run(Path(parsed.run))
        return parsed

    def parse(self, arguments: Sequence[str]) -> Namespace:
        """Parses and checks the arguments; `instantiate` then builds the dataclasses. Help ends the program."""
        if "--help-all" in arguments or {"-h", "--help"} & set(arguments):
            print(self.format_whole_help() if "--help-all" in arguments else self.format_help(), end="")
            raise SystemExit(0)
        self._refuse_unknown_options(arguments)
        _refuse_empty(arguments)
        arguments = _gpu_by_its_name(arguments)
        self._check_files(arguments)
        try:
            return self.parse_args(self._arguments_first(arguments))
        except ArgumentError as error:
            raise RequestError(self._sentence(error.message)) from error

    def _arguments_first(self, words: Sequence[str]) -> list[str]:
        """The arguments in front of the options: argparse takes a list of arguments only if no option is inside it."""
        arguments: list[str] = []
        options: list[str] = []
        for before, word in pairwise(["", *words]):
            is_option = len(word) > 1 and word.startswith("-")  # "-" alone stands for standard input
            (options if is_option or self._takes_value(before) else arguments).append(word)
        return [*arguments, *options]

    def _takes_value(self, word: str) -> bool:
        """Whether a word is an option whose value is the next word."""
        action = self._option_string_actions.get(word)
        return action is not None and action.nargs is None

    def _check_files(self, arguments: Sequence[str]) -> None:
        """Reads --config files before jsonargparse does, which would wait for a FIFO and expand aliases."""
        if "--config" not in self._option_string_actions:
            return
        following = [after for name, after in pairwise([*arguments, ""]) if name == "--config"]
        joined = [argument.removeprefix("--config=") for argument in arguments if argument.startswith("--config=")]
        for path in following + joined:
            values = read_yaml(Path(path), CONFIG_ADVICE, empty=True)
            refuse_plain_groups(values)
            self._refuse_unknown_values(path, values)

    def _refuse_unknown_values(self, path: str, values: dict[str, Any]) -> None:
        known = [action.dest for action in self._actions]
        for name in flat_values(values):
            if name not in known:
                hint = did_you_mean(name, known) or f"`{self.prog} --help-all` lists the options."
                raise RequestError(f"{path}: there is no value {name}; {hint}")

    def error(self, message: str, ex: Exception | None = None) -> NoReturn:
        raise RequestError(self._sentence(message)) from ex

    def _refuse_unknown_options(self, arguments: Sequence[str]) -> None:
        known = [option for option in self._option_string_actions if option.startswith("--")]
        for argument in arguments:
            option = argument.split("=")[0]
            if argument.startswith("--") and option not in known:
                hint = did_you_mean(option, known) or f"`{self.prog} --help-all` lists the options."
                raise RequestError(f"There is no option {option}; {hint}")

    def _sentence(self, message: str) -> str:
        """Rewrites jsonargparse's message about types as one sentence about the value."""
        required = re.match(r"the following arguments are required: (?P<names>.*)", message, re.IGNORECASE)
        if required is not None:
            return self._missing(required["names"].split(", "))
        group = re.search(r'Parser key "(?P<key>[^"]+)": Unable to load config "(?P<value>.*)"', message)
        if group is not None and self._inside(group["key"]):
            return self._group_as_option(group["key"], group["value"])
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
            hint = _one_gpu(option, given) or did_you_mean(given, choices)
            end = f"; {hint}" if hint else "."
            return f"{option} must be one of {', '.join(choices)}{number}, got {given!r}{end}"
        return f"{option} must be {self._expected(option)}, got {given!r}."

    def _missing(self, names: Sequence[str]) -> str:
        """Names required arguments as they are typed; argparse lists those that may be left out too."""
        actions = [action for action in self._actions if action.dest in names and action.nargs not in ("*", "?")]
        typed = [(action.option_strings or [str(action.metavar or action.dest)])[0] for action in actions]
        return f"{' and '.join(typed)} must be given; the usage is `{self.usage}`."

    def _group_as_option(self, group: str, given: str) -> str:
        """Names the option that is meant by `--encoder resnet50`: one that has this value, or the group's first."""
        inside = self._inside(group)
        fitting = [name for name in [*inside, *self._option_string_actions] if given in self._choices(name)]
        fitting += [name for name in inside[:1] if self._kind(name) is str]
        advice = f"did you mean {fitting[0]} {given}?" if fitting else f"give one of them, such as {inside[0]}."
        return f"--{group} is a group of options, got {given!r}; {advice}"

    def _inside(self, group: str) -> list[str]:
        return [name for name in self._option_string_actions if name.startswith(f"--{group}.")]

    def _choices(self, option: str) -> list[str]:
        return literal_choices(self._kind(option))

    def _expected(self, option: str) -> str:
        kind = str(self._kind(option))
        names = {"int": "an integer", "float": "a number", "tuple": "a list of numbers such as [0.5,1.0]"}
        for name in ("tuple", "float", "int"):
            if name in kind:
                return names[name]
        return "true or false" if "bool" in kind else "text"

    def _kind(self, option: str) -> Any:
        return getattr(self._option_string_actions.get(option), "_typehint", None)


def _heading(title: str, action: Action) -> str:
    """The heading of an option in help: for a dataclass, the prefix of its options and what it is."""
    if not action.option_strings:
        return "arguments"
    prefix = action.dest.rpartition(".")[0]
    return f"--{prefix}.*: {' '.join(title.split()).rstrip('.')}" if prefix else "options"


def _is_whole_group(action: Action, names: Sequence[str]) -> bool:
    return any(name.startswith(f"{action.dest}.") for name in names)


def _refuse_empty(arguments: Sequence[str]) -> None:
    for before, argument in pairwise(["", *arguments]):
        if "\0" in argument:
            raise RequestError(f"{argument!r} has a zero character; leave it out.")
        option = before if argument == "" else argument.removesuffix("=")
        if argument == "" or (argument.startswith("--") and argument.endswith("=")):
            what = option if option.startswith("--") else "An argument"
            raise RequestError(f"{what} is empty; give a value or leave it out.")


def _gpu_by_its_name(arguments: Sequence[str]) -> list[str]:
    """With `gpu` for `cuda`, which is its name in torch.

    >>> _gpu_by_its_name(["--device", "cuda", "--device=cuda", "cuda"])
    ['--device', 'gpu', '--device=gpu', 'cuda']
    """
    joined = {f"{option}=cuda": f"{option}=gpu" for option in _DEVICE_OPTIONS}
    words = pairwise(["", *arguments])
    return [
        "gpu" if (before in _DEVICE_OPTIONS and word == "cuda") else joined.get(word, word) for before, word in words
    ]


def _one_gpu(option: str, given: str) -> str | None:
    """How to choose one of several GPUs, if a device with a number was given."""
    found = re.fullmatch(r"(?:cuda|gpu):?(\d+)", given)
    if option not in _DEVICE_OPTIONS or found is None:
        return None
    return f"give gpu, and choose it with CUDA_VISIBLE_DEVICES={found[1]} in front of the command."


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


def did_you_mean(given: str, known: Sequence[str]) -> str | None:
    """Suggests the nearest known name, also by the last part of a dotted name; None if none is near.

    >>> did_you_mean("--epoch", ["--epochs", "--seed"])
    'did you mean --epochs?'
    >>> did_you_mean("--batch_size", ["--stage1.batch_size", "--batch-size"])
    'did you mean --batch-size?'
    """
    for name in known:
        if _plain(name) == _plain(given):
            return f"did you mean {name}?"
    last_parts = {name.rsplit(".", 1)[-1].lstrip("-"): name for name in reversed(known)}
    last = given.rsplit(".", 1)[-1].lstrip("-")
    near = [last_parts[last]] if last in last_parts else difflib.get_close_matches(given, known, n=1)
    near = near or [last_parts[name] for name in difflib.get_close_matches(last, last_parts, n=1)]
    return f"did you mean {near[0]}?" if near else None

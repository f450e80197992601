"""`supcon train`: trains, evaluates and writes a report."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from jsonargparse import Namespace

from supcon.base.errors import RequestError
from supcon.base.processes import is_first_process
from supcon.base.progress import waiting
from supcon.base.stored_values import read_yaml
from supcon.cli.parser import CONFIG_ADVICE, CommandParser
from supcon.data import DataConfig, absolute, check_present, check_spec
from supcon.jobs import default_folder, folder_of, longer_run
from supcon.recipes import (
    SHORT_NAMES,
    Recipe,
    build_recipe,
    change_recipe,
    find_recipe,
    flat_values,
    full_names,
    needs_gpu,
    recipe_for,
    recipe_from_values,
    recipe_to_values,
    refuse_plain_groups,
)
from supcon.runs import Run, open_run, refuse_existing

_ABOUT = """Trains an encoder contrastively and a linear classifier on it, evaluates both and writes a report."""

_EXAMPLES = (
    "photos/                           # photos/CLASS/image.jpg",
    "photos/ --method cross-entropy    # the baseline",
)
_FIRST = ("--method", "--recipe", "--epochs", "--batch-size", "--device", "--out", "--resume", "--dry-run")

_FLAGS = {
    "--download": "Download a named data set that is not found on disk.",
    "--skip-bad-images": "Leave out unreadable images instead of stopping.",
}


def run(arguments: Sequence[str]) -> None:
    """Parses twice: first to find the recipe, then with that recipe's values as defaults."""
    parser = _parser()
    first = parser.parse(arguments)
    folder = Path(first.out) if first.out else None
    stored = _stored_recipe(folder) if first.resume else None
    if stored is None:
        _refuse_resume_of_nothing(folder, first, arguments)
        check_spec(first.where or first.data.spec)
        if not (first.download or first.data.download):
            check_present(first.where or first.data.spec, first.data_root or first.data.root)
        _refuse_folder(folder or _expected_folder(first, arguments), first)
    base = stored or _base_recipe(first, arguments)
    recipe = _recipe(parser, arguments, base)
    folder = folder or default_folder(recipe)
    _refuse_folder(folder, first)

    with waiting("starting"):
        from supcon.cli.printing.print_estimate import print_estimate
        from supcon.cli.printing.print_results import print_run
        from supcon.jobs import dry_run, resume, run_recipe

    given = _given(first, arguments)
    if first.dry_run:
        print_estimate(dry_run(recipe, given), recipe.hardware)
    elif first.resume and (stored := stored or _stored_recipe(folder)) is not None:
        with _with_resume_hint(folder):
            print_run(resume(folder, longer_run(stored, recipe)))
    else:
        with _with_resume_hint(folder):
            print_run(run_recipe(recipe, folder, given))


@contextmanager
def _with_resume_hint(folder: Path) -> Iterator[None]:
    """After Ctrl-C, shows the command that resumes the run."""
    try:
        yield
    except KeyboardInterrupt as stopped:
        if not Run(folder).recipe_file.exists():
            raise
        command = shlex.join(["supcon", "train", "--resume", "--out", str(folder)])
        raise KeyboardInterrupt(*stopped.args, f"`{command}` continues from the last checkpoint.") from stopped


def _refuse_resume_of_nothing(folder: Path | None, parsed: Namespace, arguments: Sequence[str]) -> None:
    """Raises an error for --resume with a folder without a run, if nothing says on which data to start one there."""
    names_data = parsed.where or parsed.recipe or _is_given("data.spec", parsed, arguments)
    if parsed.resume and folder is not None and not names_data:
        open_run(folder)


def _refuse_folder(folder: Path | None, parsed: Namespace) -> None:
    """Raises an error for a folder that is not empty or cannot be written to.

    It is called before torch is imported, so it takes under a second.
    """
    resumes = folder is not None and parsed.resume and Run(folder).recipe_file.exists()
    if folder is not None and not resumes and not parsed.dry_run and is_first_process():
        refuse_existing(folder)


def _expected_folder(parsed: Namespace, arguments: Sequence[str]) -> Path:
    """The default folder, computed before the recipe is chosen by the images."""
    named = find_recipe(parsed.recipe).method if parsed.recipe else "supcon"
    method = parsed.method if _is_given("method", parsed, arguments) else named
    return folder_of(absolute(parsed.where or parsed.data.spec), method, parsed.seed)


def _given(parsed: Namespace, arguments: Sequence[str]) -> set[str]:
    """The values that were set on the command line or in a --config file, by dotted names."""
    words = {word.split("=")[0].removeprefix("--") for word in arguments if word.startswith("--")}
    short = {word.replace("-", "_") for word in words}
    return full_names(words | (short & set(SHORT_NAMES)) | _in_files(parsed))


def _in_files(parsed: Namespace) -> set[str]:
    """The dotted names that --config files set."""
    return {
        name
        for path in parsed.config or []
        for name in flat_values(read_yaml(Path(str(path)), CONFIG_ADVICE, empty=True))
    }


def _parser() -> CommandParser:
    parser = CommandParser("train", _ABOUT, "[DATA] [options]", examples=_EXAMPLES, first=_FIRST)
    parser.add_argument(
        "where",
        nargs="?",
        metavar="DATA",
        help="A folder of images (CLASS/image.jpg), a name of `supcon datasets`, or a .csv or .parquet manifest; "
        "default: the built-in digits.",
    )
    parser.add_argument(
        "--recipe", type=str | None, metavar="NAME", help="A name of `supcon recipes`; default: chosen by DATA."
    )
    parser.add_config_option()
    parser.add_argument("--out", type=str | None, metavar="FOLDER", help="The run's folder; default: runs/DATA-METHOD.")
    parser.add_argument("--resume", action="store_true", help="Continue the run in that folder, if there is one.")
    parser.add_argument("--epochs", type=int | None, help="Passes over the training images in stage 1.")
    parser.add_argument("--batch-size", type=int | None, help="Images per step, in both stages.")
    parser.add_argument("--dry-run", action="store_true", help="Run two steps of each stage; print time and memory.")
    parser.add_argument(
        "--micro-batch",
        type=int | None,
        help="Images that go through the encoder at once; the loss is still that of the whole batch. Saves memory.",
    )
    parser.add_argument("--devices", type=int | None, help="GPUs of each machine, or processes on a CPU.")
    parser.add_argument("--num-nodes", type=int | None, help="Machines; each is started with the same command.")
    parser.add_argument("--compile", action="store_const", const=True, help="Compile the encoder with torch.compile.")
    parser.add_argument(
        "--logger",
        type=Literal["none", "tensorboard", "wandb"] | None,
        help="Where metrics are logged besides metrics.csv: tensorboard, wandb or none.",
    )
    parser.add_device(default=None)
    parser.add_argument(
        "--precision",
        type=Literal["32-true", "bf16-mixed", "16-mixed"] | None,
        help="Precision of the networks: 32-true, bf16-mixed or, on a GPU, 16-mixed.",
    )
    parser.add_data_root()
    for option, meaning in _FLAGS.items():
        parser.add_argument(option, action="store_const", const=True, help=meaning)
    parser.add_class_arguments(Recipe, skip={"name"})
    return parser


def _base_recipe(parsed: Namespace, arguments: Sequence[str]) -> Recipe:
    """The recipe given by name, or the one chosen by the data; its variant for the method, if there is one."""
    named = recipe_for(parsed.where or parsed.data.spec)
    if named is not None and needs_gpu(named):
        named = None  # the device decides, which torch knows
    name = parsed.recipe or named or _by_images(parsed, arguments)
    return find_recipe(name, parsed.method if _is_given("method", parsed, arguments) else None)


def _by_images(parsed: Namespace, arguments: Sequence[str]) -> str:
    with waiting("checking the images"):
        from supcon.jobs import fitting_recipe

        data = DataConfig(
            spec=parsed.where or parsed.data.spec,
            root=parsed.data_root or parsed.data.root,
            download=bool(parsed.download or parsed.data.download),
        )
        given = {name: _value(name, parsed) for name in _given(parsed, arguments)}
        return fitting_recipe(data, given)


def _value(name: str, parsed: Namespace) -> Any:
    """A value of the recipe by its dotted name, also if its short option was given."""
    short = (parsed.get(option) for option, full in SHORT_NAMES.items() if name in full)
    return next((value for value in short if value is not None), parsed.get(name))


def _is_given(name: str, parsed: Namespace, arguments: Sequence[str]) -> bool:
    """Whether a value was set on the command line or in a --config file, rather than left at its default."""
    if any(argument.split("=")[0] == f"--{name}" for argument in arguments):
        return True
    return name in _in_files(parsed)


def _recipe(parser: CommandParser, arguments: Sequence[str], base: Recipe) -> Recipe:
    values = recipe_to_values(base)
    del values["recipe"]
    parser.set_defaults(flat_values(values))
    parsed = parser.parse(arguments)
    refuse_plain_groups(parsed)
    for short, names in SHORT_NAMES.items():  # before the values are checked, some of them against each other
        for name in names if parsed[short] is not None else ():
            parsed[name] = parsed[short]
    try:
        recipe = build_recipe(base.name, parser.instantiate(parsed))
        return change_recipe(recipe, {"data.spec": absolute(parsed.where or recipe.data.spec)})
    except RequestError:
        raise
    except ValueError as error:  # raised by a config that checks its values
        raise RequestError(str(error)) from error


def _stored_recipe(folder: Path | None) -> Recipe | None:
    if folder is None or not Run(folder).recipe_file.exists():
        return None
    return recipe_from_values(Run(folder).recipe)

"""`supcon reproduce`: the paper's tables and figures, with a verdict."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from jsonargparse import Namespace
from rich.console import Console, Group
from rich.padding import Padding
from rich.text import Text

from supcon.base.errors import RequestError
from supcon.base.progress import waiting
from supcon.cli.parser import CommandParser
from supcon.data import check_spec, short_name
from supcon.experiments import EXPERIMENTS, SCALES, Experiment, Request, Scale, find_experiments

_ABOUT = """Runs a table or figure of the paper and gives a verdict on its claim; without NAME, lists them.

Finished cells are kept as CSV in --out and never run again; the same command continues an interrupted study, on this
machine or, with --storage postgresql://... or mysql://..., on several machines at once."""


def run(arguments: Sequence[str]) -> None:
    parsed = _parser().parse(arguments)
    if not parsed.names:
        if arguments:
            raise RequestError("Name an experiment, or all; `supcon reproduce` lists them.")
        Console(highlight=False).print(_list())
        return
    experiments = find_experiments(parsed.names)
    request = _request(parsed, experiments)
    _check_recipe(request, experiments)
    _check_one_of(parsed, "status", "table", "worker")
    _check_data(parsed)
    work = Path(parsed.work or f"runs/reproduce/{request.scale.name}")
    out = Path(parsed.out or ("reproduction" if request.scale.name == "small" else f"{work}/tables"))
    _check_folder("--work", work)
    _check_folder("--out", out)
    with waiting("starting"):
        from supcon.cli.printing.print_reproduction import print_reproduction, print_status
        from supcon.jobs import StudyPlaces, check_cells_of_out, reproduce, study_status, take_cells, write_tables

    places = StudyPlaces(out=out, work=work, storage=parsed.storage or str(work / "study.journal"))
    options = shlex.join(_without_places(arguments, parsed.names))
    check_cells_of_out(request, places)
    if parsed.status:
        print_status(study_status(experiments, request, places))
    elif parsed.worker:
        take_cells(experiments, request, places)
    elif parsed.table:
        print_reproduction(write_tables(experiments, request, places, options), places)
    else:
        words = ["reproduce", *arguments, "--worker"]
        done = reproduce(experiments, request, places, options=options, workers=parsed.workers, worker_words=words)
        print_reproduction(done, places)


def _parser() -> CommandParser:
    examples = ["temperature", "temperature --scale small --data cifar10/ --workers 2"]
    first = ("--scale", "--data", "--seeds", "--workers", "--status")
    parser = CommandParser("reproduce", _ABOUT, "[NAME...] [options]", examples=examples, first=first)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="Names of experiments, or all; without a name: list them."
    )
    parser.add_argument(
        "--scale",
        type=Literal["smoke", "small", "paper"],
        default="smoke",
        help="; ".join(f"{scale.name}: {scale.about}" for scale in SCALES.values()) + ".",
    )
    parser.add_argument(
        "--data",
        type=str | None,
        metavar="DATA",
        help="Data to use instead of the recipe's; required by --scale small, as a folder with train/CLASS/ and "
        "test/CLASS/.",
    )
    parser.add_argument(
        "--recipe", type=str | None, metavar="NAME", help="Recipe to start from; default: that of the scale."
    )
    parser.add_argument(
        "--seeds", type=str | None, metavar="N,...", help="Seeds, comma-separated; default: those of the scale."
    )
    parser.add_argument(
        "--cells",
        type=str | None,
        metavar="TEXT,...",
        help="Only rows whose name contains one of these comma-separated texts.",
    )
    parser.add_argument(
        "--transfer-to", type=str | None, metavar="DATA,...", help="Data sets of `transfer`, comma-separated."
    )
    parser.add_argument(
        "--workers", type=int, default=1, help="Processes on this machine, one thread each; 1: no extra process."
    )
    parser.add_argument(
        "--storage", type=str | None, metavar="PATH|URL", help="Journal file, or URL of a PostgreSQL or MySQL database."
    )
    parser.add_argument("--out", type=str | None, metavar="FOLDER", help="Folder for tables and finished cells.")
    parser.add_argument(
        "--work", type=str | None, metavar="FOLDER", help="Folder for runs and pages; default: runs/reproduce/SCALE."
    )
    parser.add_data_root()
    parser.add_device(default=None)
    parser.add_argument(
        "--status", action="store_true", help="Show finished, running and remaining cells; run nothing."
    )
    parser.add_argument("--table", action="store_true", help="Write tables and pages of finished cells; run nothing.")
    parser.add_argument("--worker", action="store_true", help="Run cells until none remains; write no tables.")
    return parser


def _request(parsed: Namespace, experiments: Sequence[Experiment]) -> Request:
    scale: Scale = SCALES[parsed.scale]
    if sets := _parts(parsed.transfer_to):
        scale = replace(scale, transfer_to=sets)
    if parsed.workers < 1:
        raise RequestError(f"--workers must be at least 1, got {parsed.workers}.")
    options = {"data.root": parsed.data_root, "hardware.device": parsed.device}
    return Request(
        scale=scale,
        data=parsed.data,
        recipe=parsed.recipe,
        seeds=_seeds(parsed.seeds),
        only=_row_texts(parsed.cells or "", [row.name for one in experiments for row in one.settings(scale)]),
        options={name: value for name, value in options.items() if value is not None},
    )


def _row_texts(text: str, rows: Sequence[str]) -> tuple[str, ...]:
    """The texts of `--cells`; a comma before a space may also be part of a row's name.

    >>> _row_texts("L_in,AutoAugment, then SimAugment", ["L_in (Eq. 3)", "AutoAugment, then SimAugment"])
    ('L_in', 'AutoAugment, then SimAugment')
    >>> _row_texts("SupCon, SimCLR", ["SupCon", "SimCLR"])
    ('SupCon', 'SimCLR')
    """
    words: list[str] = []
    for word in re.split(",(?! )", text):
        words += [word.strip()] if any(word in row for row in rows) else _parts(word)
    for word in words:
        if not any(word in row for row in rows):
            raise RequestError(f"--cells {word} is in no row; there are: {', '.join(dict.fromkeys(rows))}.")
    if text and not any(words):
        raise RequestError(f"--cells must be comma-separated parts of rows' names, got {text!r}.")
    return tuple(filter(None, words))


def _parts(text: str | None) -> tuple[str, ...]:
    """The parts between commas, without empty ones.

    >>> _parts("digits, shapes,")
    ('digits', 'shapes')
    """
    return tuple(word.strip() for word in (text or "").split(",") if word.strip())


def _check_one_of(parsed: Namespace, *options: str) -> None:
    given = [f"--{option}" for option in options if getattr(parsed, option)]
    if len(given) > 1:
        raise RequestError(f"{' and '.join(given)} cannot be given together; run the command once with each.")


def _check_recipe(request: Request, experiments: Sequence[Experiment]) -> None:
    """Raises an error if --recipe has no effect on an experiment."""
    for experiment in experiments if request.recipe else ():
        if all(setting.recipe for setting in request.settings(experiment)):
            raise RequestError(
                f"--recipe {request.recipe} has no effect on {experiment.name}, whose rows have recipes of their own; "
                "leave out one of the two."
            )


def _check_data(parsed: Namespace) -> None:
    """Raises an error for data that cannot be used, before anything is trained or written."""
    trains = not (parsed.status or parsed.table)
    called = [short_name(spec) for spec in _parts(parsed.transfer_to)]
    for name in called:
        if called.count(name) > 1:
            raise RequestError(
                f"--transfer-to has several data sets called {name}, whose results could not be told apart in the "
                "tables; rename their folders."
            )
    for spec in (parsed.data, *_parts(parsed.transfer_to)):
        if spec and trains:
            check_spec(spec)


def _check_folder(option: str, folder: Path) -> None:
    """Raises an error for a folder that cannot be created, because it or a folder above it is a file."""
    for path in (folder, *folder.parents):
        if path.exists() and not path.is_dir():
            place = path if path == folder else f"{path} in {folder}"
            raise RequestError(f"{option} must be a folder, but {place} is a file; choose another name.")


def _seeds(text: str | None) -> tuple[int, ...]:
    try:
        return tuple(dict.fromkeys(int(word) for word in text.split(","))) if text else ()
    except ValueError as error:
        raise RequestError(f"--seeds must be comma-separated integers such as 0,1,2, got {text!r}.") from error


def _without_places(arguments: Sequence[str], names: Sequence[str]) -> list[str]:
    """The options to repeat the study elsewhere: without names of experiments, paths of this machine and workers.

    A data folder is replaced by its name, by which its cells are identified.
    """
    own = ("--out", "--work", "--storage", "--data-root", "--workers")
    kept: list[str] = []
    words = iter(word for argument in arguments for word in _option_and_value(argument))
    for word in words:
        if word in own:
            next(words, None)
        elif word == "--data":
            kept += [word, _folder_name(next(words, ""))]
        elif word not in ("--table", "--debug"):
            kept.append(word)
    for name in names:
        kept.remove(name)
    return kept


def _option_and_value(word: str) -> list[str]:
    option, equals, value = word.partition("=")
    return [option, value] if word.startswith("--") and equals else [word]


def _folder_name(spec: str) -> str:
    """The last part of a path, with a slash to tell the folder from the data set of that name.

    >>> _folder_name("/data/cifar10"), _folder_name("cifar10")
    ('cifar10/', 'cifar10')
    """
    is_path = "/" in spec and ":" not in spec
    return f"{Path(spec).name}/" if is_path else spec


def _list() -> Group:
    """Every experiment with its table or figure of the paper, and its claim below."""
    lines: list[Text | Padding] = []
    experiment: Experiment
    for experiment in EXPERIMENTS.values():
        lines.append(Text.assemble((experiment.name, "bold"), f"  {experiment.where}"))
        lines.append(Padding(Text(experiment.claim), (0, 0, 0, 4)))
    return Group(*lines)

"""`supcon evaluate`: a finished run measured again, on its own test images, corrupted ones or other data."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from supcon.base.errors import RequestError
from supcon.base.progress import waiting
from supcon.cli.parser import CommandParser

_ABOUT = """Measures a finished run, adds the figures to its evaluation.json and builds its page again."""


def run(arguments: Sequence[str]) -> None:
    parsed = _parser().parse(arguments)
    severities = _whole_numbers(parsed.severities)
    with waiting("starting"):
        from supcon.cli.print_corruptions import print_corruptions
        from supcon.cli.print_results import print_run
        from supcon.evaluation import has_corruptions
        from supcon.jobs import evaluate

    run = evaluate(
        parsed.run,
        on=parsed.on,
        baseline=parsed.baseline,
        corruptions=parsed.corruptions,
        severities=severities,
        bins=parsed.bins,
        k=parsed.k,
        knn_temperature=parsed.knn_temperature,
        seed=parsed.seed,
        device=parsed.device,
        data_root=parsed.data_root,
    )
    corrupted = parsed.on is not None and (parsed.on == "corruptions" or has_corruptions(Path(parsed.on).expanduser()))
    (print_corruptions if corrupted else print_run)(run)


def _parser() -> CommandParser:
    usage = "RUN [--on corruptions|FOLDER|DATA] [--baseline RUN] [--severities 1,2,3,4,5] [--bins N] ..."
    parser = CommandParser("evaluate", _ABOUT, usage)
    parser.add_argument("run", metavar="RUN", help="The run's folder.")
    parser.add_argument(
        "--on",
        type=str | None,
        help="`corruptions`: its test images under those of ImageNet-C; a folder of ImageNet-C or CIFAR-10-C; or any "
        "data with the run's classes. Not given: its own test images.",
    )
    parser.add_argument(
        "--baseline",
        type=str | None,
        help="The run whose errors are the unit of the mean corruption error; AlexNet for ImageNet unless given.",
    )
    parser.add_argument(
        "--corruptions",
        type=str,
        default="standard",
        help="`standard` (the 15), `extra` (the other 4), `all`, or names with commas between.",
    )
    parser.add_argument("--severities", type=str, default="1,2,3,4,5", help="Which, with commas between.")
    parser.add_argument("--bins", type=int, default=15, help="Bins of the calibration errors.")
    parser.add_argument(
        "--k", type=int | None, help="Neighbours of the k-NN classification; follows the training images."
    )
    parser.add_argument("--knn-temperature", type=float, default=0.1, help="Temperature of their votes.")
    parser.add_argument("--seed", type=int, default=0, help="Decides what is random in corruptions made on the fly.")
    parser.add_argument("--data-root", type=str | None, help="Where named data sets are.")
    parser.add_argument("--device", type=Literal["auto", "cpu", "gpu"], default="auto", help="Where it runs.")
    return parser


def _whole_numbers(text: str) -> list[int]:
    try:
        return sorted({int(word) for word in text.split(",")})
    except ValueError as error:
        raise RequestError(f"--severities must be whole numbers with commas between, got {text!r}.") from error

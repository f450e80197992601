"""`supcon evaluate`: evaluates a finished run again, on its own test images, on corrupted ones or on other data."""

from collections.abc import Sequence
from typing import Literal

from supcon.base.errors import RequestError
from supcon.base.progress import waiting
from supcon.cli.parser import CommandParser
from supcon.jobs import check_evaluation

_ABOUT = """Evaluates a finished run, adds the metrics to its evaluation.json and rebuilds its report."""


def run(arguments: Sequence[str]) -> None:
    parsed = _parser().parse_for_run(arguments)
    severities = _whole_numbers(parsed.severities)
    kind = check_evaluation(
        parsed.bins,
        severities,
        parsed.k,
        parsed.knn_temperature,
        on=parsed.on,
        baseline=parsed.baseline,
        corruptions=parsed.corruptions,
        seed=parsed.seed,
        frost=parsed.frost,
        data_root=parsed.data_root,
    )
    with waiting("starting"):
        from supcon.cli.printing.print_corruptions import print_corruptions
        from supcon.cli.printing.print_results import print_run
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
        frost=parsed.frost,
        device=parsed.device,
        data_root=parsed.data_root,
    )
    (print_corruptions if kind.endswith("corruptions") else print_run)(run)


def _parser() -> CommandParser:
    examples = ["runs/photos-supcon --on corruptions"]
    parser = CommandParser("evaluate", _ABOUT, "RUN [options]", examples=examples, first=("--on", "--baseline"))
    parser.add_run()
    parser.add_argument(
        "--on",
        type=str | None,
        metavar="DATA",
        help="`corruptions`: the run's test images with the corruptions of ImageNet-C; a folder of ImageNet-C or "
        "CIFAR-10-C; or any data with the run's classes. Default: the run's own test images.",
    )
    parser.add_argument(
        "--baseline",
        type=str | None,
        metavar="RUN",
        help="Run whose errors the corruption errors are divided by; default for ImageNet: AlexNet.",
    )
    parser.add_argument(
        "--corruptions",
        type=str,
        metavar="NAMES",
        default="standard",
        help="`standard` (the 15), `extra` (the other 4), `all`, or comma-separated names.",
    )
    parser.add_argument(
        "--severities", type=str, default="1,2,3,4,5", metavar="N,...", help="Severities, comma-separated."
    )
    parser.add_argument("--bins", type=int, default=15, help="Number of bins of the calibration errors.")
    parser.add_argument(
        "--k",
        type=int | None,
        help="Number of neighbours of the k-NN classifier; default: chosen by the size of the training set.",
    )
    parser.add_argument(
        "--knn-temperature",
        type=float,
        default=0.1,
        help="Temperature of the k-NN votes; Wu et al. (2018), whose classifier it is, use 0.07.",
    )
    parser.add_argument("--seed", type=int, default=0, help="Seed of the corruptions.")
    parser.add_argument(
        "--frost",
        type=Literal["auto", "photographs", "own"],
        default="auto",
        help="Texture of the corruption frost: the `photographs` of the published sets, from the package "
        "imagecorruptions (pip install 'supcon[frost]'), or supcon's `own`; `auto` uses the photographs if installed.",
    )
    parser.add_data_root()
    parser.add_device()
    return parser


def _whole_numbers(text: str) -> list[int]:
    try:
        return sorted({int(part) for part in text.split(",")})
    except ValueError as error:
        raise RequestError(f"--severities must be comma-separated integers such as 1,3,5, got {text!r}.") from error

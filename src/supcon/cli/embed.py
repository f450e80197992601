"""`supcon embed`: writes the representations of images to a file."""

from collections.abc import Sequence

from supcon.base.atomic_files import check_out
from supcon.base.checked_arguments import check_suffix
from supcon.base.errors import RequestError
from supcon.base.progress import waiting
from supcon.cli.parser import CommandParser
from supcon.data import check_present
from supcon.runs import model_path

_ABOUT = """Writes representations, probabilities and predicted classes of images to a .npz or .parquet file, with their
paths, labels and splits. The same command continues after a stop."""


def run(arguments: Sequence[str]) -> None:
    parsed = _parser().parse(arguments)
    check_suffix("--out", parsed.out, ".npz", ".parquet")
    if parsed.batch_size is not None and parsed.batch_size < 1:
        raise RequestError(f"--batch-size must be at least 1, got {parsed.batch_size}.")
    if parsed.data is not None:
        check_present(parsed.data, parsed.data_root)
    check_out(parsed.out)
    model_path(parsed.run)  # before torch is imported, which takes seconds
    with waiting("starting"):
        from supcon.jobs import embed

    written = embed(
        parsed.run,
        parsed.data,
        out=parsed.out,
        batch_size=parsed.batch_size,
        data_root=parsed.data_root,
        device=parsed.device,
    )
    print(f"representations: {written}")


def _parser() -> CommandParser:
    parser = CommandParser(
        "embed", _ABOUT, "RUN [DATA] --out FILE [options]", examples=["runs/photos-supcon new/ --out new.npz"]
    )
    parser.add_argument("run", metavar="RUN", help="The run's folder, a .safetensors file or a name on the hub.")
    parser.add_argument(
        "data",
        nargs="?",
        metavar="DATA",
        help="A data set's name, a folder, with classes or without, a manifest, ...; default: the run's own images.",
    )
    parser.add_argument("--out", type=str, required=True, metavar="FILE", help="The .npz or .parquet file to write.")
    parser.add_argument("--batch-size", type=int | None, help="Images at once; default: chosen by the image size.")
    parser.add_data_root()
    parser.add_device()
    return parser

"""`supcon export`: writes the model of a run for other programs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from supcon.base.progress import waiting
from supcon.cli.parser import CommandParser
from supcon.jobs import check_export

_ABOUT = """Writes the model of a finished run as ONNX (compared with PyTorch before it is written), as one
.safetensors file, or as a folder for timm."""


def run(arguments: Sequence[str]) -> None:
    parsed = _parser().parse_for_run(arguments)
    check_export(parsed.format, parsed.preprocessing, int8=parsed.int8, out=parsed.out, check=parsed.check)
    with waiting("starting"):
        from supcon.jobs import check_onnx, export

    if parsed.check is not None:
        print(f"largest difference from PyTorch: {check_onnx(parsed.run, parsed.check):.1e}")
        return
    with waiting("exporting"):
        done = export(
            parsed.run,
            format=parsed.format,
            part=parsed.part,
            preprocessing=parsed.preprocessing,
            int8=parsed.int8,
            out=parsed.out,
        )
    if done.difference is not None:
        print(f"largest difference from PyTorch: {done.difference:.1e}")
    print(f"{parsed.format}: {done.path}{_size(done.path)}")
    if done.int8 is None:
        return
    cost = done.int8
    if cost.float32 is None or cost.int8 is None:
        print(f"accuracy of int8: not measured ({cost.reason})")
    else:
        change = f"{100 * (cost.int8 - cost.float32):+.2f} points"
        print(
            f"accuracy on {cost.images:,} validation images: "
            f"float32 {cost.float32:.2%}, int8 {cost.int8:.2%} ({change})"
        )
    print(f"int8: {cost.path}{_size(cost.path)}")


def _size(path: Path) -> str:
    return f" ({path.stat().st_size / 1e6:.1f} MB)" if path.is_file() else ""


def _parser() -> CommandParser:
    first = ("--format", "--part", "--out")
    parser = CommandParser("export", _ABOUT, "RUN [options]", examples=["runs/photos-supcon"], first=first)
    parser.add_run()
    parser.add_argument("--format", type=Literal["onnx", "safetensors", "timm"], default="onnx", help="What to write.")
    parser.add_argument(
        "--part",
        type=Literal["classifier", "encoder"],
        default="classifier",
        help="`classifier`: the encoder with its classifier; `encoder`: the encoder alone.",
    )
    parser.add_argument(
        "--preprocessing",
        type=Literal["none", "normalize", "resize"],
        default="normalize",
        help="What the ONNX graph does before the encoder. `none`: it takes normalized float32 images; `normalize`: "
        "uint8 images of the encoder's size; `resize`: uint8 images of any size.",
    )
    parser.add_argument(
        "--int8",
        action="store_true",
        help="Also write the ONNX file with 8-bit weights (dynamic quantization), and measure both on the "
        "validation images.",
    )
    parser.add_argument(
        "--check",
        type=str | None,
        metavar="F.onnx",
        help="Write nothing: compare this file with the run; a file of another run is refused.",
    )
    parser.add_argument(
        "--out", type=str | None, metavar="PATH", help="The file, or for timm the folder; default: in RUN/export/."
    )
    return parser

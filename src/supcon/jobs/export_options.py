"""Checks the values of `supcon export`, before torch is imported."""

from pathlib import Path
from typing import Literal

from supcon.base.atomic_files import check_out
from supcon.base.checked_arguments import checked_path
from supcon.base.errors import RequestError

Format = Literal["onnx", "safetensors", "timm"]


def check_export(
    format: Format,  # noqa: A002, the name of the option
    preprocessing: str = "normalize",
    *,
    int8: bool = False,
    out: str | Path | None = None,
    check: str | Path | None = None,
) -> None:
    """Raises an error for values that do not fit together, a place that takes no file, and no file to `check`."""
    if format != "onnx" and (int8 or preprocessing != "normalize"):
        raise RequestError(f"--int8 and --preprocessing are for --format onnx, got --format {format}; leave them out.")
    if check is not None and not checked_path(check, "--check").is_file():
        raise RequestError(f"There is no ONNX file {check}; write one with `supcon export RUN --format onnx`.")
    if out is not None:
        check_export_path(checked_path(out, "--out"), format)


def check_export_path(path: Path, format: Format) -> None:  # noqa: A002
    """Raises an error for a path that has another ending than the format, is something else, or takes no file."""
    if format == "timm":
        if path.exists() and not (path / "config.json").is_file() and (path.is_file() or any(path.iterdir())):
            raise RequestError(f"{path} exists and is not a folder of a timm model; choose another with --out.")
    elif path.is_dir() or path.suffix != f".{format}":
        raise RequestError(f"--out must be a file that ends in .{format}, got {str(path)!r}.")
    check_out(path, folder=format == "timm")

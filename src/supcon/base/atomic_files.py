"""Files that are whole or not there: written beside, flushed to the disk, renamed."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import yaml

from supcon.base.errors import disk_errors


def write_file(path: Path, fill: Callable[[BinaryIO], object]) -> None:
    """Lets `fill` write a file that appears under its name only when it is complete."""
    partial = path.with_name(f".{path.name}.partial")
    with disk_errors(path):
        try:
            with partial.open("wb") as file:
                fill(file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(partial, path)
        finally:
            partial.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    write_file(path, lambda file: file.write(text.encode()))


def write_json(path: Path, value: Any) -> None:
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def write_yaml(path: Path, value: Any) -> None:
    write_text(path, yaml.safe_dump(value, sort_keys=False, allow_unicode=True))

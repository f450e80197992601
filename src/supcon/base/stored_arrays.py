"""Arrays in `.npz` files, written and read back; nothing in them can run code."""

import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supcon.base.atomic_files import write_file
from supcon.base.bounded_reading import open_regular
from supcon.base.errors import RequestError
from supcon.base.stored_values import TRAIN_AGAIN

_DAMAGES = (
    OSError,
    ValueError,
    KeyError,
    EOFError,
    MemoryError,
    OverflowError,
    RuntimeError,
    SyntaxError,
    TypeError,
    NotImplementedError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What numpy and zipfile raise for files that are cut off, changed or of another kind."""


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Writes arrays to a compressed `.npz` file; Python objects, which would have to be pickled, are refused."""
    objects = [name for name, array in arrays.items() if array.dtype.hasobject]
    if objects:  # before numpy 2.2, savez has no allow_pickle
        raise TypeError(f"{', '.join(objects)} must be arrays of numbers or text, got Python objects.")
    named: dict[str, Any] = dict(arrays)
    write_file(path, lambda file: np.savez_compressed(file, **named))


def read_arrays(path: Path, names: Sequence[str], advice: str = TRAIN_AGAIN) -> dict[str, NDArray[Any]]:
    """All arrays of an `.npz` file, `names` at least; every byte is checked against the checksums of the file."""
    with _opened(path, advice) as stored:
        return {name: stored[name] for name in {*names, *stored.files}}


def read_array(path: Path, name: str, advice: str = TRAIN_AGAIN) -> NDArray[Any] | None:
    """One array of an `.npz` file, without reading the others; None if the file has none of that name."""
    with _opened(path, advice) as stored:
        return stored[name] if name in stored.files else None


@contextmanager
def _opened(path: Path, advice: str) -> Iterator[Any]:
    """The archive; what goes wrong while it is open becomes one sentence that ends in `advice`."""
    try:
        with open_regular(path) as file, np.load(file, allow_pickle=False) as stored:
            yield stored
    except FileNotFoundError as error:
        raise RequestError(f"{path} is missing; {advice}.") from error
    except _DAMAGES as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        if "pickle" in reason:  # numpy takes any file that is no archive for a pickle, and advises to load it
            reason = "it is not an .npz file"
        raise RequestError(f"{path} is damaged ({reason}); {advice}.") from error

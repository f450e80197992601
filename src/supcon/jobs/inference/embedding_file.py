"""The file of `supcon embed`: .npz, or .parquet with one row per image."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supcon.base.atomic_files import replacing, write_file
from supcon.base.checked_arguments import check_suffix
from supcon.base.errors import RequestError
from supcon.data import ListedImages
from supcon.serving import Model

_GROUP = 4096
"""Rows of a .parquet file that are in memory at once."""


def check_format(path: Path) -> None:
    """Refuses what is neither .npz nor .parquet, or cannot be written without pyarrow."""
    check_suffix("--out", path, ".npz", ".parquet")
    if path.suffix == ".parquet":
        try:
            import pyarrow  # noqa: F401
        except ImportError as error:
            raise RequestError(
                f"{path.name} needs pyarrow; install it with `pip install 'supcon[parquet]'`, or write a .npz file."
            ) from error


def write_embeddings(
    path: Path,
    model: Model,
    images: ListedImages,
    bad: Sequence[int],
    representations: NDArray[np.float32],
    probabilities: NDArray[np.float32],
) -> None:
    """Writes one row per image, without the `bad` ones; the two arrays may be mapped from files."""
    kept = images.pick(np.setdiff1d(np.arange(len(images)), bad)) if bad else images
    predictions = [name for part in _parts(probabilities) for name in model.names(part)]
    columns = {"path": kept.names, "label": kept.labels, "split": kept.splits, "prediction": predictions}
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        _write_parquet(path, columns, representations, probabilities, model.classes)
        return
    arrays: dict[str, Any] = {name: np.array(values, dtype=str) for name, values in columns.items()}
    arrays |= {"classes": np.array(model.classes)}
    # savez writes mapped arrays piece by piece.
    write_file(
        path,
        lambda file: np.savez(file, representations=representations, probabilities=probabilities, **arrays),
    )


def _parts(rows: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    return (rows[start : start + _GROUP] for start in range(0, len(rows), _GROUP))


def _write_parquet(
    path: Path,
    columns: dict[str, Sequence[str]],
    representations: NDArray[np.float32],
    probabilities: NDArray[np.float32],
    classes: Sequence[str],
) -> None:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    def lists(rows: NDArray[np.float32]) -> Any:
        return pa.FixedSizeListArray.from_arrays(pa.array(np.ravel(rows)), rows.shape[1])

    widths = {"representation": representations.shape[1], "probabilities": probabilities.shape[1]}
    schema = pa.schema(
        [(name, pa.string()) for name in columns] + [(name, pa.list_(pa.float32(), w)) for name, w in widths.items()],
        metadata={"classes": json.dumps(list(classes), ensure_ascii=False)},
    )
    with replacing(path) as temporary, ParquetWriter(temporary, schema) as writer:
        for start in range(0, len(representations), _GROUP):
            here = slice(start, start + _GROUP)
            texts = [pa.array(list(values[here]), pa.string()) for values in columns.values()]
            vectors = [lists(representations[here]), lists(probabilities[here])]
            writer.write_table(pa.Table.from_arrays([*texts, *vectors], schema=schema))

"""Hugging Face data sets: `hf:NAME` from the hub or its cache, `hf:FOLDER` as `save_to_disk` wrote it.

The column of images is the first that has that type; the labels are the column `label`, or the first of classes.
"""

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from supcon.base.errors import RequestError
from supcon.data.sources.collection import Collection
from supcon.data.spec import short_name
from supcon.data.stratified_splits import SPLIT_OF, Indices, SplitName


class HuggingFaceImages:
    """Encoded images in the columns of Arrow tables, which the operating system maps into memory."""

    def __init__(self, tables: Mapping[str, Any], column: str) -> None:
        self.tables, self.column = list(tables.items()), column
        self.ends = np.cumsum([len(table) for table in tables.values()])

    def __len__(self) -> int:
        return int(self.ends[-1])

    def __getitem__(self, index: int) -> BytesIO | Path:
        table, row = self._find(index)
        stored = self.tables[table][1][row][self.column]
        if stored is None:
            return BytesIO()
        return BytesIO(stored["bytes"]) if stored["bytes"] is not None else Path(stored["path"])

    def name(self, index: int) -> str:
        table, row = self._find(index)
        return f"{self.tables[table][0]}/{row}"

    where = name

    def stamp(self, index: int) -> str:
        table, row = self._find(index)
        return f"{self.tables[table][1]._fingerprint} {row}"

    def _find(self, index: int) -> tuple[int, int]:
        table = int(np.searchsorted(self.ends, index, side="right"))
        return table, index - (int(self.ends[table - 1]) if table else 0)


def hugging_face(name: str, *, download: bool = False) -> Collection:
    """A data set of the hub with images and classes; only what `--download` allows is fetched."""
    tables = _load(name, download)
    features = next(iter(tables.values())).features
    image, label = _columns(name, features)
    import datasets

    encoded = {split: table.cast_column(image, datasets.Image(decode=False)) for split, table in tables.items()}
    pictures = HuggingFaceImages({split: table.select_columns([image]) for split, table in encoded.items()}, image)
    given: dict[SplitName, Indices] = {}
    for (split, table), end in zip(tables.items(), pictures.ends.tolist(), strict=True):
        given[SPLIT_OF[split]] = np.arange(end - len(table), end)
    labels = np.concatenate([np.asarray(table[label][:], dtype=np.float64) for table in tables.values()])
    return Collection(
        name=short_name(f"hf:{name}"),
        class_names=tuple(features[label].names),
        images=pictures,
        labels=np.nan_to_num(labels, nan=-1).astype(np.int64),
        given=given,
    )


def _load(name: str, download: bool) -> dict[str, Any]:
    try:
        import datasets
        from huggingface_hub import constants
    except ImportError as error:
        raise RequestError(f"hf:{name} needs datasets; install it with `pip install 'supcon[hf]'`.") from error
    # Without --download it must not look further than its cache; the environment is only read at the first import.
    constants.HF_HUB_OFFLINE = datasets.config.HF_HUB_OFFLINE = not download
    try:
        found = datasets.load_from_disk(name) if Path(name).is_dir() else datasets.load_dataset(name)
    except Exception as error:  # the hub's errors are of many kinds
        reason = " ".join(str(error).split())
        advice = "check the name and the connection" if download else "fetch it with --download"
        raise RequestError(f"hf:{name} is not here ({reason}); {advice}.") from error
    tables = dict(found) if isinstance(found, dict) else {"train": found}
    known = {split: table for split, table in tables.items() if split in SPLIT_OF}
    if "train" not in known:
        raise RequestError(f"hf:{name} has the splits {', '.join(tables)} and needs one called train.")
    return known


def _columns(name: str, features: Mapping[str, Any]) -> tuple[str, str]:
    import datasets

    images = [column for column, kind in features.items() if isinstance(kind, datasets.Image)]
    classes = [column for column, kind in features.items() if isinstance(kind, datasets.ClassLabel)]
    if not images or not classes:
        raise RequestError(
            f"hf:{name} has the columns {', '.join(features)}, and one of images and one of class labels are needed."
        )
    return images[0], "label" if "label" in classes else classes[0]

"""Hugging Face data sets: `hf:NAME` from the hub or its cache, `hf:FOLDER` as written by `save_to_disk`.

Images are the first column of type Image; labels are the column `label`, or the first column of type ClassLabel.
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
    """Encoded images in columns of memory-mapped Arrow tables."""

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
    """A data set with images and class labels; it is downloaded only if `download` is true."""
    tables = _load(name, download)
    features = next(iter(tables.values())).features
    image, label = _columns(name, features)
    import datasets

    undecoded = {split: table.cast_column(image, datasets.Image(decode=False)) for split, table in tables.items()}
    images = HuggingFaceImages({split: table.select_columns([image]) for split, table in undecoded.items()}, image)
    given: dict[SplitName, Indices] = {}
    for (split, table), end in zip(tables.items(), images.ends.tolist(), strict=True):
        given[SPLIT_OF[split]] = np.arange(end - len(table), end)
    labels = np.concatenate([np.asarray(table[label][:], dtype=np.float64) for table in tables.values()])
    return Collection(
        name=short_name(f"hf:{name}"),
        class_names=tuple(features[label].names),
        images=images,
        labels=np.nan_to_num(labels, nan=-1).astype(np.int64),
        given=given,
    )


def _load(name: str, download: bool) -> dict[str, Any]:
    try:
        import datasets
        from huggingface_hub import constants
    except ImportError as error:
        raise RequestError(f"hf:{name} needs datasets; install it with `pip install 'supcon[hf]'`.") from error
    # Without --download only the local cache is used. The environment variable is read at import, too early for us.
    constants.HF_HUB_OFFLINE = datasets.config.HF_HUB_OFFLINE = not download
    try:
        found = datasets.load_from_disk(name) if Path(name).is_dir() else datasets.load_dataset(name)
    except Exception as error:  # the hub raises many exception types
        reason = " ".join(str(error).split())
        advice = "check the name and the connection" if download else "download it with --download"
        raise RequestError(f"hf:{name} could not be loaded ({reason}); {advice}.") from error
    tables = dict(found) if isinstance(found, dict) else {"train": found}
    known = {split: table for split, table in tables.items() if split in SPLIT_OF}
    if "train" not in known:
        raise RequestError(f"hf:{name} has the splits {', '.join(tables)}, but it needs one called train.")
    return known


def _columns(name: str, features: Mapping[str, Any]) -> tuple[str, str]:
    import datasets

    images = [column for column, kind in features.items() if isinstance(kind, datasets.Image)]
    classes = [column for column, kind in features.items() if isinstance(kind, datasets.ClassLabel)]
    if not images or not classes:
        raise RequestError(
            f"hf:{name} has the columns {', '.join(features)}, but it needs one of type Image and one of type "
            "ClassLabel."
        )
    return images[0], "label" if "label" in classes else classes[0]

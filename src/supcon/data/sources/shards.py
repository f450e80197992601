"""WebDataset shards: tar files in which `key.jpg` and `key.cls` are one image and its label.

Shards are indexed once, by their tar headers, so that images can be read in any order, like those of a folder; so they
have to be local files. The label is in `key.cls` (a number or a name), or is `label`, `cls` or `class` in `key.json`.
A shard whose name contains train, val or test belongs to that split.
"""

import glob
import json
import math
import re
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import product
from pathlib import Path

from PIL import Image

from supcon.base.bounded_reading import open_regular
from supcon.base.errors import RequestError
from supcon.data.sources.collection import Collection
from supcon.data.sources.label_names import number_labels
from supcon.data.sources.manifest import given_splits
from supcon.data.spec import short_name
from supcon.data.stratified_splits import SPLIT_OF

_LABEL_KEYS = ("label", "cls", "class")
_MOST_SHARDS = 100_000
_LONGEST_LABEL = 1 << 20
"""Bytes of a label's file."""


@dataclass
class _Sample:
    image: tuple[int, int] | None = None
    label: str | None = None


@dataclass(frozen=True)
class Members:
    """Images inside tar files: the shard, offset, length and key of each."""

    shards: Sequence[Path]
    places: list[tuple[int, int, int]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, index: int) -> BytesIO:
        shard, start, length = self.places[index]
        with open_regular(self.shards[shard]) as file:
            file.seek(start)
            return BytesIO(file.read(length))

    def name(self, index: int) -> str:
        return f"{self.shards[self.places[index][0]].name}/{self.keys[index]}"

    def where(self, index: int) -> str:
        return f"{self.shards[self.places[index][0]]}/{self.keys[index]}"

    def stamp(self, index: int) -> str:
        shard, start, length = self.places[index]
        status = self.shards[shard].stat()
        return f"{status.st_size} {status.st_mtime_ns} {start} {length}"


def shards(pattern: str) -> Collection:
    """Lists the images of all shards that match a pattern, without reading them."""
    paths = expand(pattern)
    members = Members(paths)
    written: list[str] = []
    splits: list[str] = []
    for number, path in enumerate(paths):
        for key, (start, length), label in _samples(path):
            members.places.append((number, start, length))
            members.keys.append(key)
            written.append(label)
            splits.append(_split_of(path))
    if not written:
        raise RequestError(
            f"webdataset:{pattern} has no images; each sample needs an image such as key.jpg and a label key.cls."
        )
    class_names, labels = number_labels(written, f"webdataset:{pattern}")
    return Collection(
        name=short_name(f"webdataset:{pattern}"),
        class_names=class_names,
        images=members,
        labels=labels,
        given=given_splits(splits, pattern) if any(split != "train" for split in splits) else {},
    )


def expand(pattern: str) -> list[Path]:
    """The shards that match a pattern, in order: `{000..011}` and `{train,test}` are expanded, `*` and `?` globbed.

    >>> [path.name for path in expand_braces("a-{08..10}.tar")]
    ['a-08.tar', 'a-09.tar', 'a-10.tar']
    """
    paths: list[Path] = []
    for one in expand_braces(str(Path(pattern).expanduser())):
        found = [Path(name) for name in sorted(glob.glob(str(one)))] if re.search(r"[*?\[]", str(one)) else [one]
        paths += found
    absent = [path for path in paths if not path.is_file()]
    if absent or not paths:
        raise RequestError(
            f"webdataset:{pattern} matches {f'{absent[0]}, which does not exist' if absent else 'no file'}; give "
            "existing tar files, for example webdataset:shards-{000..011}.tar."
        )
    return paths


def expand_braces(pattern: str) -> list[Path]:
    """Every path that the braces of a pattern expand to."""
    parts = re.split(r"(\{[^{}]*\})", pattern)
    ranges = [_choices(part[1:-1]) if part.startswith("{") else [part] for part in parts]
    if math.prod(len(some) for some in ranges) > _MOST_SHARDS:  # counted before any is written out
        raise RequestError(f"webdataset:{pattern} stands for more than {_MOST_SHARDS:,} shards; use fewer braces.")
    return [Path("".join(chosen)) for chosen in product(*ranges)]


def _choices(inside: str) -> Sequence[str]:
    found = re.fullmatch(r"(\d{1,18})\.\.(\d{1,18})", inside)
    if found is None:
        return inside.split(",")
    first, last = found.groups()
    numbers = range(int(first), int(last) + 1)
    if len(numbers) > _MOST_SHARDS:
        raise RequestError(f"{{{inside}}} stands for more than {_MOST_SHARDS:,} shards; use a smaller range.")
    return [str(number).zfill(len(first)) for number in numbers]


def _samples(path: Path) -> Iterator[tuple[str, tuple[int, int], str]]:
    """Key, (offset, length) and label of every image of a shard, in order."""
    samples: dict[str, _Sample] = {}
    try:
        # Not compressed: the offsets are those of the file, and nothing is unpacked that could fill the memory.
        with open_regular(path) as file, tarfile.open(fileobj=file, mode="r:") as tar:
            for member in tar:
                if member.isfile():
                    key, _, suffix = _key(member.name)
                    _take(samples.setdefault(key, _Sample()), suffix, member, tar)
    except (tarfile.TarError, OSError, ValueError, RecursionError) as error:
        raise RequestError(f"{path} cannot be read as a shard ({error}); write it again, uncompressed.") from error
    for key, sample in samples.items():
        if sample.image is not None:
            yield key, sample.image, sample.label or ""


def _key(name: str) -> tuple[str, str, str]:
    """Key, dot and suffix; the key ends at the first dot of the file name, as in WebDataset."""
    folder, _, file = name.rpartition("/")
    key, dot, suffix = file.partition(".")
    return (f"{folder}/{key}" if folder else key), dot, suffix.lower()


def _take(sample: _Sample, suffix: str, member: tarfile.TarInfo, tar: tarfile.TarFile) -> None:
    if f".{suffix}" in Image.registered_extensions():
        if member.issparse():
            raise ValueError(f"{member.name} is stored as a sparse file")
        sample.image = (member.offset_data, member.size)
    elif suffix in ("cls", "txt", "json") and (file := tar.extractfile(member)) is not None:
        if member.size > _LONGEST_LABEL:
            raise ValueError(f"the label {member.name} has {member.size:,} bytes")
        content = file.read().decode()
        if suffix == "json":
            values = json.loads(content)
            known = [values[name] for name in _LABEL_KEYS if name in values] if isinstance(values, dict) else []
            sample.label = str(known[0]) if known else sample.label
        elif suffix == "cls" or sample.label is None:
            sample.label = content.strip()


def _split_of(path: Path) -> str:
    parts = re.split(r"[-_.0-9]+", path.name.lower())
    return next((part for part in parts if part in SPLIT_OF), "train")

"""Parses the DATA argument of every command. Imports no torch.

| spec | means |
|---|---|
| `digits`, `cifar10`, ... | a data set that has a name (`supcon datasets`) |
| `webdataset:PATTERN` | tar shards, `shards-{000..011}.tar` or `shards-*.tar` |
| `hf:NAME` | a Hugging Face data set, or a folder that `save_to_disk` wrote |
| `arrays:HASH` | arrays that were passed in Python and stored in the cache |
| `x.csv`, `x.parquet` | a manifest with the columns path, label and optionally split |
| anything else | a folder of images |
"""

import difflib
import errno
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from supcon.base.errors import RequestError
from supcon.data.catalogue import NAMES

SpecKind = Literal["name", "shards", "hugging-face", "arrays", "manifest", "folder"]
_PREFIXES: dict[str, SpecKind] = {"webdataset:": "shards", "hf:": "hugging-face", "arrays:": "arrays"}
_MANIFESTS = (".csv", ".parquet")


@dataclass(frozen=True)
class Spec:
    """A parsed spec: its kind, and the text after the prefix."""

    kind: SpecKind
    rest: str

    @property
    def path(self) -> Path:
        return _expanded(self.rest)


def read_spec(spec: str) -> Spec:
    """Parses a spec; raises an error that suggests the nearest name if it is no data set, manifest or folder.

    >>> read_spec("digits"), read_spec("hf:beans").kind
    (Spec(kind='name', rest='digits'), 'hugging-face')
    """
    _refuse_odd(spec)
    if spec in NAMES:
        return Spec("name", spec)
    for prefix, kind in _PREFIXES.items():
        if spec.startswith(prefix) and len(spec) > len(prefix):
            return Spec(kind, spec.removeprefix(prefix))
    path = _expanded(spec)
    if path.is_dir():
        return Spec("folder", spec)
    if path.is_file() and path.suffix.lower() in _MANIFESTS:
        return Spec("manifest", spec)
    raise RequestError(_unknown(spec, path))


def _refuse_odd(spec: str) -> None:
    """Refuses what can be neither a name nor a path, on which the system's own functions would fail."""
    if not spec:
        raise RequestError("The name of the data is empty; give the name of a data set or a folder of images.")
    if "\0" in spec:
        raise RequestError(f"{spec!r} has a zero character, which no path has; give a folder of images.")
    try:
        os.stat(spec)
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ELOOP, errno.EACCES) and not _has_prefix(spec):
            raise RequestError(f"{spec} cannot be opened: {error.strerror}; give another folder of images.") from error


def _has_prefix(spec: str) -> bool:
    return any(spec.startswith(prefix) for prefix in _PREFIXES)


def _expanded(spec: str) -> Path:
    try:
        return Path(spec).expanduser()
    except RuntimeError:  # the home of an unknown user, such as ~nobody: an ordinary name
        return Path(spec)


def _unknown(spec: str, path: Path) -> str:
    near = difflib.get_close_matches(spec, NAMES, n=1)
    hint = f"did you mean {near[0]!r}?" if near else "`supcon datasets` lists the named sets."
    if path.exists():
        return (
            f"{spec} is a file of another type; give a folder of images, a .csv or .parquet manifest, or the name of a "
            f"data set; {hint}"
        )
    if path.suffix.lower() in _MANIFESTS:
        return f"There is no manifest {spec}; give the path of an existing .csv or .parquet file."
    return f"There is no folder and no data set called {spec!r}; {hint}"


def absolute(spec: str) -> str:
    """The spec with an absolute path, so that a run can be resumed from any folder; names stay as they are.

    >>> absolute("digits"), absolute("hf:beans")
    ('digits', 'hf:beans')
    """
    _refuse_odd(spec)
    prefix = next((prefix for prefix in ("webdataset:", "hf:") if spec.startswith(prefix)), "")
    rest = spec.removeprefix(prefix)
    path = _expanded(rest)
    if prefix == "webdataset:":
        return prefix + str(Path.cwd() / path)  # a pattern: nothing to resolve
    return spec if spec in NAMES or not path.exists() else prefix + str(path.resolve())


def short_name(spec: str) -> str:
    """A short name for the data: the last part of its path, without file extension or shard numbers.

    >>> short_name("/photos/birds.csv"), short_name("webdataset:/data/cars-{000..012}.tar"), short_name("hf:me/beans")
    ('birds', 'cars', 'beans')
    """
    if spec in NAMES:
        return spec
    if spec.startswith("arrays:"):
        return "arrays"
    if spec.startswith("webdataset:"):
        stem = re.sub(r"\{[^}]*\}|[*?]|\[[^]]*\]", "", Path(spec).name.removesuffix(".tar"))
        return stem.strip("-_. ") or Path(spec.removeprefix("webdataset:")).parent.name or "shards"
    path = _expanded(spec.removeprefix("hf:"))
    return path.stem if path.suffix.lower() in _MANIFESTS else path.resolve().name

"""What data sets are called in a run's results: by their short names, or with the folder if two have the same."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from supcon.data import NAMES, absolute, short_name
from supcon.runs import Run


def names_of_data(run: Run, specs: Sequence[str], family: str) -> list[str]:
    """The name of every data set in the measures `family/NAME/...`; a name stands for one data set only.

    Data sets whose results the run has keep their names. Of several of one short name, each has its folder in the name.
    """
    used = _named_already(run, family)
    short = [short_name(spec) for spec in specs]
    names: list[str] = []
    for spec, name in zip(specs, short, strict=True):
        source = absolute(spec)
        known = next((old for old, of in used.items() if of == source), None)
        shared = short.count(name) > 1 and spec not in NAMES
        found = known or next(choice for choice in _choices(spec, name, shared=shared) if choice not in used)
        used[found] = source
        names.append(found)
    return names


def source_remark(family: str, spec: str) -> dict[str, str]:
    """What says in `evaluation.json` which data the measures of a family, such as `on/photos`, are of."""
    return {f"{family}/set": absolute(spec)}


def source_digest(spec: str) -> str:
    """Eight digits for file names, by which data sets of one name are told apart."""
    return hashlib.blake2b(absolute(spec).encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()


def _named_already(run: Run, family: str) -> dict[str, str]:
    """The sources of the names that the run has results of."""
    split = (name.split("/") for name in run.remarks)
    return {parts[1]: run.remarks["/".join(parts)] for parts in split if parts[0] == family and parts[-1] == "set"}


def _choices(spec: str, name: str, *, shared: bool) -> Iterator[str]:
    """The names that a data set could have, the shortest first."""
    if not shared:
        yield name
    path = Path(re.sub("^(hf|webdataset|arrays):", "", absolute(spec)))
    folders = [folder.name for folder in path.parents if folder.name]
    for count in range(1, len(folders) + 1):
        yield f"{name} ({'-'.join(reversed(folders[:count]))})"
    number = 2
    while True:
        yield f"{name} ({number})"
        number += 1

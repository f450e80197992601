"""Where data sets are looked for, and where decoded images are kept. Free of torch."""

import os
from pathlib import Path

from supcon.base.errors import RequestError
from supcon.data.catalogue import NamedData

DEBIAN = Path("/usr/share/datasets")
"""Where Debian's packages put data sets."""


def cache_folder() -> Path:
    """What can be made again: `SUPCON_CACHE`, otherwise `supcon` in the user's folder for such things."""
    given = os.environ.get("SUPCON_CACHE")
    usual = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "supcon"
    return Path(given or usual).expanduser()


def data_root(root: str | None) -> Path:
    """Where named sets are kept: `--data-root`, otherwise `SUPCON_DATA`, otherwise `data` in the cache."""
    given = root or os.environ.get("SUPCON_DATA")
    return Path(given).expanduser() if given else cache_folder() / "data"


def find_root(entry: NamedData, root: str | None) -> Path | None:
    """The folder that holds a named set, or nothing."""
    for place in (data_root(root), DEBIAN):
        if any((place / marker).exists() for marker in entry.markers):
            return place
    return None


def present(entry: NamedData, root: str | None) -> bool:
    """Whether a named set can be used at once."""
    return not entry.markers or find_root(entry, root) is not None


def missing(entry: NamedData, root: str | None) -> RequestError:
    """What a person hears whose data set is not there."""
    place = data_root(root)
    looked = " or ".join(str(place / marker) for marker in entry.markers)
    advice = "fetch it with --download, or say" if entry.download else f"it comes from {entry.source}; say"
    return RequestError(
        f"{entry.name} ({entry.size}) is not here: it was looked for as {looked}; {advice} where it is with "
        "--data-root or SUPCON_DATA."
    )

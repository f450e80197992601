"""Folders of named data sets and of the cache. Imports no torch."""

import os
from pathlib import Path

from supcon.base.errors import RequestError
from supcon.data.catalogue import NamedData

DEBIAN = Path("/usr/share/datasets")
"""Where Debian's packages put data sets."""


def cache_folder() -> Path:
    """Folder of files that can be rebuilt: `SUPCON_CACHE`, otherwise `supcon` in the user's cache folder."""
    given = os.environ.get("SUPCON_CACHE")
    usual = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "supcon"
    return Path(given or usual).expanduser()


def data_root(root: str | None) -> Path:
    """Folder of named data sets: `--data-root`, otherwise `SUPCON_DATA`, otherwise `data` in the cache folder."""
    given = root or os.environ.get("SUPCON_DATA")
    return Path(given).expanduser() if given else cache_folder() / "data"


def find_root(entry: NamedData, root: str | None) -> Path | None:
    """The root folder in which a named set is found, or None."""
    for folder in (data_root(root), DEBIAN):
        if any((folder / marker).exists() for marker in entry.markers):
            return folder
    return None


def present(entry: NamedData, root: str | None) -> bool:
    """Whether a named set can be used without a download."""
    return not entry.markers or find_root(entry, root) is not None


def missing(entry: NamedData, root: str | None) -> RequestError:
    """The error for a named set that is not found on disk."""
    folder = data_root(root)
    expected = " or ".join(str(folder / marker) for marker in entry.markers)
    advice = "download it with --download" if entry.download else f"get it from {entry.source}"
    return RequestError(
        f"{entry.name} ({entry.size}) was not found as {expected}; {advice}, or give its folder with --data-root or "
        "SUPCON_DATA."
    )

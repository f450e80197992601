"""Checks the DATA argument before torch is imported, so that a wrong path is reported within a second."""

from supcon.data.catalogue import BY_NAME
from supcon.data.sources.locations import missing, present
from supcon.data.spec import read_spec


def check_spec(spec: str) -> None:
    """Raises an error unless the spec is a known name, an existing file, or a folder with class folders."""
    found = read_spec(spec)
    if found.kind == "folder":
        from supcon.data.sources.listing import check_folders

        check_folders(found.path)


def check_present(spec: str, root: str | None = None) -> None:
    """Raises an error unless the spec is an existing file or folder, or a named set that is on disk.

    >>> check_present("digits")
    """
    if read_spec(spec).kind == "name" and not present(BY_NAME[spec], root):
        raise missing(BY_NAME[spec], root)

"""Checks the DATA argument before torch is imported, so that a wrong path is reported within a second."""

from supcon.data.spec import read_spec


def check_spec(spec: str) -> None:
    """Raises an error unless the spec is a known name, an existing file, or a folder with class folders."""
    found = read_spec(spec)
    if found.kind == "folder":
        from supcon.data.sources.listing import check_folders

        check_folders(found.path)

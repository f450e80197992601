"""Whether a spec means something, asked before torch is imported: a wrong path is refused within a second."""

from supcon.data.spec import read_spec


def check_spec(spec: str) -> None:
    """Refuses what is neither a name nor a file nor a folder, and a folder that does not hold folders of classes."""
    found = read_spec(spec)
    if found.kind == "folder":
        from supcon.data.sources.listing import check_folders

        check_folders(found.path)

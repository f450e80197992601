"""Checks the values of `supcon search`, before torch is imported and the gallery is made."""

import difflib
from collections.abc import Sequence
from pathlib import Path

from supcon.base.atomic_files import check_out
from supcon.base.checked_arguments import check_suffix, checked_path
from supcon.base.errors import RequestError
from supcon.data import check_present
from supcon.runs import open_complete_run
from supcon.serving import read_card

PROTOTYPE = "class:"
"""Prefix of a query that is a class of the gallery, by its prototype."""
_SHOWN = 10


def check_search(
    run: str | Path,
    queries: Sequence[str | Path],
    gallery: str | Path | None = None,
    k: int = 10,
    out: str | Path | None = None,
    data_root: str | None = None,
) -> None:
    """Raises an error for a query or a gallery that is not there, and for a value that cannot be."""
    if not queries:
        raise RequestError("queries is empty; give at least one image, folder or class:NAME.")
    if k < 1:
        raise RequestError(f"--k must be at least 1, got {k}.")
    check_suffix("--out", out, ".html")
    for query in map(str, queries):
        if not query.startswith(PROTOTYPE) and not checked_path(query, "A query").exists():
            raise RequestError(f"There is no file and no folder {query}; give an image, a folder or class:NAME.")
    card = read_card(open_complete_run(Path(run)))
    for query in map(str, queries):
        # Of images with several labels only the gallery knows which labels occur together.
        if query.startswith(PROTOTYPE) and gallery is None and not card.multi_label:
            check_class(query.removeprefix(PROTOTYPE), card.class_names)
    if gallery is not None:
        check_present(str(gallery), data_root)
    check_out(out)


def check_class(name: str, known: Sequence[str]) -> None:
    """Raises an error that suggests the nearest class, if there is no class of this name."""
    if name in known:
        return
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}? Its" if near else "its"
    shown = ", ".join(known[:_SHOWN]) + (", …" if len(known) > _SHOWN else "")
    raise RequestError(f"No image of the gallery has the class {name!r}; {hint} classes are {shown or 'none'}.")

"""The work of `supcon search`: the images of a gallery that are most similar to query images or to classes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from supcon.base.atomic_files import write_text
from supcon.base.checked_arguments import checked_arguments
from supcon.base.errors import disk_errors
from supcon.data import ListedImages, open_picture
from supcon.jobs.inference.run_gallery import open_gallery
from supcon.jobs.inference.search_values import PROTOTYPE, check_class, check_search
from supcon.report import FoundImage, SearchPage, build_search_page, picture_uri
from supcon.runs import open_complete_run
from supcon.serving import Device, Gallery, Model, Neighbours, image_files, load, torch_device


@dataclass(frozen=True, kw_only=True, eq=False)
class SearchResult:
    """The answers to every query."""

    queries: Sequence[str]
    """Paths, or `class:NAME`."""
    gallery: Gallery
    images: ListedImages
    """Those of the gallery, in the same order."""
    found: Neighbours

    def answers(self, query: int) -> list[tuple[str, str, float]]:
        """Name, label and similarity of the images found, best first."""
        rows = zip(self.found.rows[query].tolist(), self.found.similarity[query].tolist(), strict=True)
        return [(self.gallery.names[row], self.gallery.labels[row], similarity) for row, similarity in rows]


@checked_arguments
def search(
    run: str | Path,
    queries: Sequence[str | Path],
    *,
    gallery: str | Path | None = None,
    k: int = 10,
    approximate: bool = False,
    out: str | Path | None = None,
    data_root: str | None = None,
    device: Device = "auto",
) -> SearchResult:
    """Finds the `k` images of a gallery (any DATA, by default the run's own images) most similar to each query.

    A query is an image file, a folder of them, or `class:NAME` for the mean of a class's images. The representations
    of the gallery are kept beside the run. `out` is the path of a page that shows queries and answers.
    """
    check_search(run, queries, gallery, k, out, data_root)
    opened = open_complete_run(Path(run))
    page = None if out is None else Path(out).expanduser()
    model = load(opened.path, torch_device(device))
    kept, images = open_gallery(opened.path, model, gallery, data_root=data_root)
    names, rows = _embed_queries(model, kept, [str(query) for query in queries])
    result = SearchResult(
        queries=names, gallery=kept, images=images, found=kept.nearest(rows, k, approximate=approximate)
    )
    if page is not None:
        text = build_search_page(_page(result, opened.name))  # reads images: what fails here is not the writing
        with disk_errors(page):
            page.parent.mkdir(parents=True, exist_ok=True)
            write_text(page, text)
    return result


def _embed_queries(model: Model, gallery: Gallery, queries: Sequence[str]) -> tuple[list[str], NDArray[np.float32]]:
    """What every query is called, and its representation."""
    names: list[str] = []
    rows: list[NDArray[np.float32]] = []
    for query in queries:
        if query.startswith(PROTOTYPE):
            names.append(query)
            rows.append(_prototype(gallery, query.removeprefix(PROTOTYPE)))
            continue
        path = Path(query).expanduser()
        files = [str(file) for file in image_files(path)] if path.is_dir() else [str(path)]
        names += files
        rows.append(model.embed(files))
    return names, np.concatenate(rows)


def _prototype(gallery: Gallery, name: str) -> NDArray[np.float32]:
    prototype = gallery.prototypes([name])
    if not prototype.any():
        check_class(name, sorted(set(gallery.labels) - {""}))
    return prototype


def _page(result: SearchResult, run: str) -> SearchPage:
    answers = []
    for at, query in enumerate(result.queries):
        shown = "" if query.startswith(PROTOTYPE) else picture_uri(open_picture(query))
        places = result.found.rows[at].tolist()
        found = [
            FoundImage(name=name, label=label, similarity=similarity, picture=picture_uri(result.images.picture(place)))
            for place, (name, label, similarity) in zip(places, result.answers(at), strict=True)
        ]
        answers.append((FoundImage(name=query, label="", picture=shown), found))
    return SearchPage(run=run, gallery=result.images.name, images=len(result.gallery), answers=answers)

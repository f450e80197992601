"""The page of a search: every query with the images that are most similar to it."""

from collections.abc import Sequence
from dataclasses import dataclass

from supcon.report.pages.run_page import render


@dataclass(frozen=True, kw_only=True)
class FoundImage:
    """One picture with its name and label."""

    name: str
    label: str
    picture: str
    """A data URI; empty for a query that is a class, not an image."""
    similarity: float | None = None


@dataclass(frozen=True, kw_only=True)
class SearchPage:
    """What the page shows."""

    run: str
    gallery: str
    images: int
    """In the gallery."""
    answers: Sequence[tuple[FoundImage, Sequence[FoundImage]]]
    """Every query with its answers, best first."""


def build_search_page(page: SearchPage) -> str:
    """The HTML page of a search."""
    return render("search.html", page=page)

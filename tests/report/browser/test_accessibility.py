"""axe-core finds nothing serious. It is an npm package that only the tests use: `make axe` installs it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from references.picture_pages import audit_page, search_page
from supcon.report import RunResults, TrainingState, build_comparison, build_report, build_training_page

AXE = Path(__file__).parents[3] / ".axe" / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: make axe")

STATE = TrainingState(stage=1, epoch=3, epochs=9, seconds_left=70.0, written="2026-11-17T12:00:00+00:00", pause=60.0)


def violations(page: Any, scheme: str, width: int) -> list[str]:
    """The serious and critical ones, each with the first element that has it."""
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    page.wait_for_timeout(200)
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    return [
        f"{each['id']}: {json.dumps(each['nodes'][0]['html'])[:200]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


def pages(run: RunResults, baseline: RunResults) -> dict[str, Callable[[], str]]:
    return {
        "run": lambda: build_report(run),
        "comparison": lambda: build_comparison([run, baseline]),
        "training": lambda: build_training_page(run, STATE),
        "audit": lambda: audit_page(["a.png", "train", "ants", "bees"]),
        "search": lambda: search_page(["a.png", "ants", "insects", "photos"]),
    }


@pytest.mark.parametrize("name", ["run", "comparison", "training", "audit", "search"])
def test_no_serious_violation(
    open_page: Callable[..., Any], digits_run: RunResults, baseline_run: RunResults, name: str
) -> None:
    page = open_page(pages(digits_run, baseline_run)[name](), drawn=name not in ("audit", "search"))
    if name == "run":
        page.locator("#confusion button[data-label]").first.click()
        page.locator("#mistakes .gallery button").first.click()
    for scheme, width in (("light", 1200), ("dark", 390)):
        assert violations(page, scheme, width) == []

"""The page of a run in training, of a comparison, of images with several labels; hostile names on every page."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from references.picture_pages import audit_page, search_page
from supcon.base.atomic_files import write_text
from supcon.report import (
    Outputs,
    RunResults,
    TrainingState,
    build_comparison,
    build_report,
    build_training_page,
)

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


def state(epoch: int) -> TrainingState:
    from datetime import UTC, datetime

    now = datetime.now(UTC).isoformat(timespec="seconds")
    return TrainingState(stage=1, epoch=epoch, epochs=9, seconds_left=9.0, written=now, pause=60.0)


def test_a_page_in_training_renews_itself_from_disk(
    open_page: Callable[..., Any], digits_run: RunResults, tmp_path: Path
) -> None:
    waiting = replace(digits_run, outputs=Outputs.none(10))
    page = open_page(build_training_page(waiting, state(3)))
    page.clock.install()  # else the page could renew itself at any moment of a busy machine
    page.reload()
    page.wait_for_selector("html[data-drawn]")
    path = Path(page.url.removeprefix("file://"))
    verdict = page.locator(".verdict")
    assert "epoch 3 of 9" in verdict.inner_text()
    page.evaluate("document.documentElement.style.scrollBehavior = 'auto'; scrollTo(0, 500)")
    page.get_by_text("All values of the recipe").click()
    top = page.evaluate("scrollY")
    write_text(path, build_training_page(waiting, state(4)))
    page.clock.fast_forward(60_000)
    sync_api.expect(verdict).to_contain_text("epoch 4 of 9")
    page.wait_for_selector("html[data-drawn]")
    assert abs(page.evaluate("scrollY") - top) < 5
    assert page.locator("#repeat details").get_attribute("open") is not None
    assert page.locator("#silent").is_hidden()
    write_text(path, build_report(digits_run))  # the training is finished
    page.clock.fast_forward(60_000)
    page.wait_for_selector("#confusion")
    page.wait_for_selector("html[data-drawn]")
    assert page.locator("#in-training").count() == 0


def test_a_page_that_takes_long_to_draw_is_not_renewed_before(
    open_page: Callable[..., Any], digits_run: RunResults
) -> None:
    """It would never be drawn on a machine that is busy enough."""
    page = open_page(build_training_page(replace(digits_run, outputs=Outputs.none(10)), state(3)))
    page.clock.install()
    never = "DecompressionStream = class { readable = new ReadableStream(); writable = new WritableStream(); }"
    page.add_init_script(never)
    page.reload()
    page.evaluate("window.firstPage = true")
    page.clock.fast_forward(200_000)
    page.wait_for_timeout(500)  # for a renewal; none may come
    assert page.evaluate("[window.firstPage, document.documentElement.dataset.drawn]") == [True, None]


def test_a_training_that_stopped_is_told(open_page: Callable[..., Any], digits_run: RunResults) -> None:
    old = replace(state(3), written="2026-01-01T00:00:00+00:00", pause=60.0)
    page = open_page(build_training_page(replace(digits_run, outputs=Outputs.none(10)), old))
    assert "the training may have stopped" in page.locator("#silent").inner_text()


def test_tables_of_a_comparison_sort_and_filter(
    open_page: Callable[..., Any],
    digits_run: RunResults,
    baseline_run: RunResults,
    repeat_run: Callable[..., RunResults],
) -> None:
    runs = [digits_run, baseline_run, *(repeat_run(digits_run, seed, -0.01 * seed) for seed in (1, 2))]
    page = open_page(build_comparison(runs))
    rows = page.locator("#run-table tbody tr")
    heading = page.locator("#run-table thead th", has_text="Test accuracy")
    heading.get_by_role("button").click()
    values = [
        float(text.split()[0]) for text in page.locator("#run-table tbody tr td.number:nth-child(2)").all_inner_texts()
    ]
    assert values == sorted(values)
    page.locator("[data-filters=run-table]").fill("cross-entropy")
    assert [row.locator("th").inner_text() for row in rows.all() if row.is_visible()] == ["digits-cross-entropy"]
    page.locator("[data-filters=metric-table]").fill("calibration")
    shown = [row for row in page.locator("#metric-table tbody tr").all() if row.is_visible()]
    assert [row.locator("th").inner_text() for row in shown] == ["Test calibration error"]
    only = page.locator("#images .gallery").first.locator("li")
    first, second = digits_run.outputs.correct, baseline_run.outputs.correct
    assert only.count() == min(24, int((first & ~second).sum()))


def test_images_with_several_labels(
    open_page: Callable[..., Any], make_run: Callable[..., RunResults], settle: Callable[[Any], None]
) -> None:
    run = make_run(3)
    random = np.random.default_rng(0)
    outputs = replace(
        run.outputs,
        labels=random.integers(0, 2, (400, 3)),
        probabilities=random.uniform(size=(400, 3)),
        names=[f"<b>{image}.png" for image in range(400)],
    )
    measures = {"test/map": 0.5, **{f"test/class/class {c}/ap": 0.5 for c in range(3)}}
    page = open_page(build_report(replace(run, outputs=outputs, measures=measures)))
    assert page.locator("#mistakes .gallery li").count() == 24
    assert page.locator(".filter").count() == 0
    page.locator("#classes thead button").last.click()
    page.set_viewport_size({"width": 390, "height": 800})
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator("b").count() == 0


def test_lines_can_be_copied(page: Any) -> None:
    code = page.locator("#use code").first.inner_text()
    assert code.splitlines()[1] == 'model = supcon.load("/runs/it\'s a run")'
    button = page.locator("#use button.copy").first
    button.click()
    sync_api.expect(button).to_have_text("Copied")
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(); }")  # as where it is not allowed
    sync_api.expect(button).to_have_text("Copy")
    button.click()
    sync_api.expect(button).to_have_text("Selected")
    assert page.evaluate("getSelection().toString()").strip() == code.strip()


HOSTILE = [
    "<script>window.owned = 1</script>",
    "</script><script>window.owned = 2</script>",
    "<img src=x onerror='window.owned = 3'>",
    "\"><svg/onload=window.owned=4>'`${window.owned=5}{{ 7 * 7 }}",
]
"""Names of classes and files; each would leave a mark if it were not escaped."""


def hostile_pages(run: RunResults) -> dict[str, str]:
    """Every kind of page, with hostile names wherever a name can be."""
    names = [f"{HOSTILE[image % 4]}{image}.png" for image in range(400)]
    outputs = replace(run.outputs, names=names)
    run = replace(
        run, name=HOSTILE[0], outputs=outputs, path=f"/runs/{HOSTILE[1]}", environment={"command": HOSTILE[2]}
    )
    other = replace(run, name=HOSTILE[1], outputs=replace(outputs, labels=run.outputs.predicted))
    return {
        "run": build_report(run),
        "training": build_training_page(replace(run, outputs=Outputs.none(4)), state(3)),
        "comparison": build_comparison([run, other]),
        "audit": audit_page(HOSTILE),
        "search": search_page(HOSTILE),
    }


def test_hostile_names_are_shown_and_run_nothing(
    open_page: Callable[..., Any], make_run: Callable[..., RunResults]
) -> None:
    for kind, html in hostile_pages(make_run(4, names=HOSTILE)).items():
        page = open_page(html, drawn=kind not in ("audit", "search"))
        page.wait_for_timeout(100)
        assert page.evaluate("window.owned") is None, kind
        text = page.evaluate("document.body.textContent")
        assert HOSTILE[0] in text, kind
        assert HOSTILE[1] in text, kind
        assert page.locator("svg[onload], img[onerror]").count() == 0, kind

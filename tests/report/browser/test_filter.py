"""The filter goes through the whole page."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from supcon.report import RunResults
from supcon.report.tables.mistakes import confident_mistakes

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


def matrix_counts(page: Any) -> dict[tuple[int, int], int]:
    """The cells of the drawn confusion matrix that have a count."""
    traces = page.evaluate("document.querySelector('.confusion .plot').data.map((trace) => trace.text)")
    return {
        (label, predicted): int(text)
        for cells in traces
        for label, row in enumerate(cells)
        for predicted, text in enumerate(row)
        if text
    }


def expected_counts(run: RunResults, which: np.ndarray) -> dict[tuple[int, int], int]:
    pairs = zip(run.outputs.labels[which].tolist(), run.outputs.predicted[which].tolist(), strict=True)
    counts: dict[tuple[int, int], int] = {}
    for pair in pairs:
        counts[pair] = counts.get(pair, 0) + 1
    return counts


def test_by_class(page: Any, digits_run: RunResults) -> None:
    outputs = digits_run.outputs
    page.locator(".filter [name=class]").select_option("8")
    which = outputs.labels == 8
    right = int(outputs.correct[which].sum())
    status = page.locator(".filter-status").inner_text()
    share = f"{100 * right / which.sum():.1f}\xa0%"
    assert status == f"{which.sum()} of 360 test images, {right} of them correct ({share})"
    assert matrix_counts(page) == expected_counts(digits_run, which)
    rows = page.locator("#classes tbody tr:visible")
    assert rows.count() == 1
    assert rows.locator("th").inner_text() == "8"
    wrong = [m.image for m in confident_mistakes(outputs, limit=400) if m.label == 8]
    assert [int(i.get_attribute("data-image")) for i in page.locator("#mistakes li").all()] == wrong


def test_by_confidence(page: Any, digits_run: RunResults) -> None:
    outputs = digits_run.outputs
    page.locator(".filter [name=from]").fill("50")
    page.locator(".filter [name=to]").fill("90")
    which = (outputs.confidence >= 0.5) & (outputs.confidence <= 0.9)
    assert page.locator(".filter-status").inner_text().startswith(f"{which.sum()} of 360")
    assert matrix_counts(page) == expected_counts(digits_run, which)
    for label, text in enumerate(page.locator("#classes tbody tr > :nth-child(2)").all_inner_texts()):
        assert int(text) == int((outputs.labels[which] == label).sum())
    counts = page.evaluate("document.querySelector('#reliability .plot').data[3].y")
    edges = np.arange(16) / 15
    assert counts == np.histogram(outputs.confidence[which], edges)[0].tolist()
    page.locator(".filter [name=clear]").click()
    assert matrix_counts(page) == expected_counts(digits_run, np.ones(360, bool))


def test_right_or_wrong(page: Any, digits_run: RunResults) -> None:
    outputs = digits_run.outputs
    page.locator(".filter [name=which]").select_option("right")
    assert matrix_counts(page) == expected_counts(digits_run, outputs.correct)
    assert page.locator("#mistakes .note").inner_text() == "No mistake matches the filter."
    page.locator(".filter [name=which]").select_option("wrong")
    assert matrix_counts(page) == expected_counts(digits_run, ~outputs.correct)
    opacity = page.evaluate("document.querySelector('.map .plot').data[0].marker.opacity")
    assert [value > 0.5 for value in opacity] == (~outputs.correct).tolist()


def test_with_keys_alone(page: Any, digits_run: RunResults) -> None:
    page.locator(".filter summary").focus()
    page.keyboard.press("Tab")
    page.keyboard.type("3")  # the option that begins with it
    which = digits_run.outputs.labels == 3
    assert page.locator(".filter-status").inner_text().startswith(f"{which.sum()} of 360")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    wrong = which & ~digits_run.outputs.correct
    assert page.locator(".filter-status").inner_text().startswith(f"{wrong.sum()} of 360")


def test_it_survives_a_change_of_the_colour_scheme(
    page: Any, digits_run: RunResults, settle: Callable[[Any], None]
) -> None:
    page.locator(".filter [name=class]").select_option("5")
    page.emulate_media(color_scheme="dark")
    settle(page)
    assert matrix_counts(page) == expected_counts(digits_run, digits_run.outputs.labels == 5)


def test_at_the_width_of_a_telephone(page: Any, digits_run: RunResults, settle: Callable[[Any], None]) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    settle(page)
    page.locator(".filter [name=class]").select_option("2")
    page.locator("#confusion button[data-label]").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    bar = page.locator("nav.contents").bounding_box()
    assert bar["height"] < 220

"""The pages in a real browser: nothing is fetched, nothing complains, and what moves does what it says."""

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image

from supcon.report import Outputs, RunResults, build_comparison, build_report
from supcon.report.tables.mistakes import confident_mistakes

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


def tick(page: Any) -> Any:
    """Words in the first plot."""
    return page.locator(".plot .xtick text").first


def soft(page: Any) -> str:
    """The colour that words in plots have in the scheme at hand."""
    colour = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--soft')")
    return f"rgb({', '.join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))})"


def picture(element: Any, side: int = 8) -> np.ndarray:
    """What an element shows, as a grey image of few pixels."""
    shot = Image.open(io.BytesIO(element.screenshot())).convert("L")
    return np.asarray(shot.resize((side, side), Image.Resampling.BOX)).astype(int)


def assert_shows(element: Any, outputs: Outputs, image: int) -> None:
    """The element shows a test image's thumbnail; its corners are round, so they do not count."""
    thumbnail = outputs.thumbnails[outputs.thumbnail_index.tolist().index(image)]
    difference = np.abs(picture(element) - thumbnail[..., 0].astype(int))
    difference[[0, 0, -1, -1], [0, -1, 0, -1]] = 0
    assert difference.max() < 40
    assert difference.mean() < 6


def assert_fits(page: Any, settle: Callable[[Any], None]) -> None:
    """At any width and in either scheme nothing is wider than the window and every plot is drawn."""
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        for width in (380, 700, 1200):
            page.set_viewport_size({"width": width, "height": 900})
            settle(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            widest = "Math.max(...[...document.querySelectorAll('.plot .main-svg')].map((svg) => svg.clientWidth))"
            assert page.evaluate(widest) < width
    assert page.evaluate("[...document.querySelectorAll('.plot')].every((plot) => plot.data)")
    page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = false; })")


def test_the_page_of_a_run_fits_its_window(page: Any, settle: Callable[[Any], None]) -> None:
    assert_fits(page, settle)


def test_a_comparison_fits_its_window(
    open_page: Callable[..., Any], digits_run: RunResults, baseline_run: RunResults, settle: Callable[[Any], None]
) -> None:
    assert_fits(open_page(build_comparison([digits_run, baseline_run])), settle)


@pytest.mark.parametrize("classes", [2, 3, 200])
def test_unusual_runs_fit_their_window(
    open_page: Callable[..., Any], make_run: Callable[..., RunResults], settle: Callable[[Any], None], classes: int
) -> None:
    names = ["<b>\"x\"&</b><img src='http://example.invalid/x.png'>", "W" * 90, "two words " * 20]
    page = open_page(build_report(make_run(classes, names=names if classes == 3 else None)))
    assert_fits(page, settle)
    assert page.locator("img").count() == 0


def point_of(page: Any, image: int) -> tuple[float, float]:
    """Where an image's dot is on the screen."""
    page.locator(".map").scroll_into_view_if_needed()
    x, y = page.evaluate(
        """(point) => {
          const plot = document.querySelector(".map .plot"), box = plot.getBoundingClientRect();
          const { xaxis, yaxis } = plot._fullLayout, { x, y } = plot.data[0];
          return [box.left + xaxis._offset + xaxis.d2p(x[point]), box.top + yaxis._offset + yaxis.d2p(y[point])];
        }""",
        image,
    )
    return x, y


def test_pointing_at_a_dot_shows_its_image(page: Any, digits_run: RunResults) -> None:
    image = confident_mistakes(digits_run.outputs)[0].image
    tooltip = page.locator(".tooltip")
    assert not tooltip.is_visible()
    page.mouse.move(*point_of(page, image))
    sync_api.expect(tooltip).to_be_visible()
    outputs = digits_run.outputs
    confidence = f"confidence {100 * outputs.confidence[image]:.1f}\xa0%"
    expected = f"{outputs.labels[image]}\npredicted as {outputs.predicted[image]}, {confidence}\nimage {image}"
    assert tooltip.inner_text() == expected
    assert_shows(tooltip.locator(".thumbnail"), outputs, image)
    page.mouse.move(5, 5)
    sync_api.expect(tooltip).to_be_hidden()


def test_mistakes_show_their_images(page: Any, digits_run: RunResults) -> None:
    mistakes = confident_mistakes(digits_run.outputs)
    shown = page.locator("#mistakes .gallery .thumbnail")
    assert shown.count() == len(mistakes)
    for place in (0, len(mistakes) - 1):
        assert_shows(shown.nth(place), digits_run.outputs, mistakes[place].image)


def test_keys_go_through_the_map(page: Any, digits_run: RunResults) -> None:
    tooltip, live = page.locator(".tooltip"), page.locator("#map-live")
    labels = digits_run.outputs.labels
    zeros, ones = np.flatnonzero(labels == 0), np.flatnonzero(labels == 1)
    page.locator(".map").focus()
    for key, image in (
        ("ArrowRight", zeros[0]),
        ("ArrowRight", zeros[1]),
        ("ArrowLeft", zeros[0]),
        ("ArrowDown", ones[0]),
        ("ArrowUp", zeros[0]),
    ):
        page.keyboard.press(key)
        sync_api.expect(tooltip).to_be_visible()
        assert live.text_content().startswith(f"image {image}: {labels[image]}, ")
    page.keyboard.press("Escape")
    sync_api.expect(tooltip).to_be_hidden()


def faded(page: Any) -> list[bool]:
    opacity = page.evaluate("document.querySelector('.map .plot').data[0].marker.opacity")
    return [value < 0.5 for value in opacity]


def test_one_class_and_only_mistakes(page: Any, digits_run: RunResults) -> None:
    outputs = digits_run.outputs
    chip = page.locator(".chip").nth(8)
    chip.click()
    assert chip.get_attribute("aria-pressed") == "true"
    assert faded(page) == (outputs.labels != 8).tolist()
    page.locator(".filter [name=which]").select_option("wrong")
    assert faded(page) == ((outputs.labels != 8) | outputs.correct).tolist()
    chip.click()
    assert faded(page) == outputs.correct.tolist()
    page.locator(".filter [name=clear]").click()
    assert not any(faded(page))


def test_one_class_of_many(open_page: Callable[..., Any], make_run: Callable[..., RunResults]) -> None:
    run = make_run(40)
    page = open_page(build_report(run))
    page.locator(".filter [name=class]").select_option("7")
    assert faded(page) == (run.outputs.labels[run.outputs.map_index] != 7).tolist()


def column(page: Any, place: int) -> list[str]:
    cells = page.locator(f"#classes tbody tr > :nth-child({place})")
    return [" ".join(text.split()) for text in cells.all_text_contents()]


def test_a_click_on_a_heading_sorts(page: Any, digits_run: RunResults) -> None:
    outputs = digits_run.outputs
    accuracy = [outputs.correct[outputs.labels == c].mean() for c in range(10)]
    ascending = [f"{100 * value:.1f} %" for value in sorted(accuracy)]
    heading = page.locator("#classes thead th").nth(2)
    heading.locator("button").click()
    assert column(page, 3) == ascending
    assert heading.get_attribute("aria-sort") == "ascending"
    heading.locator("button").click()
    assert column(page, 3) == ascending[::-1]
    page.locator("#classes thead button").first.click()
    assert column(page, 1) == [str(c) for c in range(10)]
    assert heading.get_attribute("aria-sort") is None
    page.locator("#classes thead button").last.click()
    assert column(page, 5) == sorted(column(page, 5))


def test_no_number_sorts_last(open_page: Callable[..., Any], make_run: Callable[..., RunResults]) -> None:
    run = make_run(3)
    empty = replace(run, outputs=replace(run.outputs, labels=np.minimum(run.outputs.labels, 1)))
    page = open_page(build_report(empty))
    for _ in range(2):
        page.locator("#classes thead button").nth(2).click()
        assert column(page, 3)[-1] == "–"


def test_plots_follow_the_colour_scheme(page: Any) -> None:
    light = soft(page)
    page.emulate_media(color_scheme="dark")
    assert soft(page) != light
    sync_api.expect(tick(page)).to_have_css("fill", soft(page))
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(int(part) for part in ground[4:-1].split(",")) < 60


def test_paper_is_light_and_narrow(page: Any) -> None:
    light = soft(page)
    page.emulate_media(color_scheme="dark")
    dark = soft(page)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    sync_api.expect(tick(page)).to_have_css("fill", light)
    assert page.evaluate("Math.max(...[...document.querySelectorAll('.plot')].map((plot) => plot.clientWidth))") < 680
    assert page.locator("details.in-print[open]").count() == page.locator("details.in-print").count()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    sync_api.expect(tick(page)).to_have_css("fill", dark)
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_details_draw_when_they_open(page: Any) -> None:
    page.get_by_text("More curves").click()
    sync_api.expect(page.locator("details .plot .main-svg").first).to_be_visible()


def test_words_and_tables_need_no_script(open_page: Callable[..., Any], digits_run: RunResults) -> None:
    page = open_page(build_report(digits_run), scripts=False)
    assert page.locator("noscript").inner_text().startswith("The plots of this page need JavaScript")
    assert page.locator(".card").count() == 7
    assert page.locator("#classes tbody tr").count() == 10

"""From a cell, a point or a lasso to single images, with the mouse and with keys alone."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from supcon.report import RunResults, build_report
from supcon.report.tables.mistakes import confident_mistakes

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CELL = """([label, predicted]) => {
  const plot = document.querySelector(".confusion .plot");
  plot.scrollIntoView({ block: "center", behavior: "instant" });
  const box = plot.getBoundingClientRect(), { xaxis, yaxis } = plot._fullLayout;
  return [box.left + xaxis._offset + xaxis.d2p(predicted), box.top + yaxis._offset + yaxis.d2p(label)];
}"""
POINTS = """() => {
  const plot = document.querySelector(".map .plot");
  plot.scrollIntoView({ block: "center", behavior: "instant" });
  const box = plot.getBoundingClientRect(), { xaxis, yaxis } = plot._fullLayout, { x, y } = plot.data[0];
  return x.map((_, i) => [box.left + xaxis._offset + xaxis.d2p(x[i]), box.top + yaxis._offset + yaxis.d2p(y[i])]);
}"""


def click_in_plot(page: Any, x: float, y: float) -> None:
    """As a person does: Plotly takes a click for one on the point that it has already seen below the mouse."""
    page.mouse.move(x, y)
    page.wait_for_function("[...document.querySelectorAll('.plot')].some((plot) => plot._hoverdata?.length)")
    page.mouse.click(x, y)


def most_separate(points: np.ndarray, images: list[int]) -> int:
    """That of `images` whose point is farthest from all others: a click can hit no neighbour on any machine's map."""
    distances = np.linalg.norm(points[images, None] - points[None], axis=2)
    distances[np.arange(len(images)), images] = np.inf
    return images[int(distances.min(axis=1).argmax())]


def shown_images(closer: Any) -> list[int]:
    return [int(item.get_attribute("data-image")) for item in closer.locator("li[data-image]").all()]


def in_cell(run: RunResults, label: int, predicted: int) -> list[int]:
    outputs = run.outputs
    found = np.flatnonzero((outputs.labels == label) & (outputs.predicted == predicted))
    order = np.argsort(-outputs.confidence[found], kind="stable")
    return [int(image) for image in found[order]]


def check_nearest(closer: Any, run: RunResults, image: int) -> None:
    """The nearest training images of `image`: names, similarities, and a mark on those of another class."""
    outputs, training = run.outputs, run.training
    assert training is not None
    row = outputs.thumbnail_index.tolist().index(image)
    items = closer.locator(".near li")
    assert items.count() == 5
    for place, near in enumerate(training.nearest[row].tolist()):
        text = items.nth(place).inner_text()
        assert text.split("\n")[-1] == training.names[near]
        assert f"similarity {training.similarity[row, place]:.3f}" in text
        same = training.labels[near] == outputs.labels[image]
        assert items.nth(place).locator(".wrong").count() == (0 if same else 1)
        assert items.nth(place).locator(".thumbnail.missing").count() == (0 if near < len(training.thumbnails) else 1)


def test_a_click_on_a_cell_shows_its_images(page: Any, digits_run: RunResults) -> None:
    closer = page.locator("#confusion .closer")
    assert closer.is_hidden()
    click_in_plot(page, *page.evaluate(CELL, [4, 4]))
    sync_api.expect(closer).to_be_visible()
    images = in_cell(digits_run, 4, 4)
    assert closer.locator("h3").inner_text() == f"{len(images)} images of “4”, predicted correctly"
    assert set(shown_images(closer)) <= set(images)
    assert len(shown_images(closer)) == 24
    closer.get_by_text("Show more").click()
    assert set(shown_images(closer)) == set(images)
    closer.get_by_role("button", name="Close").click()
    assert closer.is_hidden()


def test_keys_reach_a_cell_and_its_images(page: Any, digits_run: RunResults) -> None:
    mistake = confident_mistakes(digits_run.outputs)[0]
    frame, closer = page.locator(".confusion"), page.locator("#confusion .closer")
    frame.focus()
    page.keyboard.press("ArrowDown")  # the first key goes to the first cell
    for key, times in (("ArrowDown", mistake.label), ("ArrowRight", mistake.predicted)):
        for _ in range(times):
            page.keyboard.press(key)
    images = in_cell(digits_run, mistake.label, mistake.predicted)
    spoken = page.locator("#confusion [aria-live]").text_content()
    plural = "image" if len(images) == 1 else "images"
    assert spoken == f"{len(images)} {plural} of “{mistake.label}” predicted as “{mistake.predicted}”."
    page.keyboard.press("Enter")
    sync_api.expect(closer.locator("h3")).to_be_focused()
    page.keyboard.press("Escape")
    sync_api.expect(closer).to_be_hidden()
    sync_api.expect(frame).to_be_focused()


def test_the_table_of_confusions_leads_to_images(page: Any, digits_run: RunResults) -> None:
    button = page.locator("#confusion button[data-label]").first
    label, predicted = (int(button.get_attribute(f"data-{name}")) for name in ("label", "predicted"))
    button.focus()
    page.keyboard.press("Enter")
    text = page.locator("#confusion .closer").inner_text()
    for image in in_cell(digits_run, label, predicted)[:24]:
        assert f"image {image}" in text


def test_a_click_on_a_point_shows_its_nearest_training_images(page: Any, digits_run: RunResults) -> None:
    points = np.array(page.evaluate(POINTS))
    image = most_separate(points, digits_run.outputs.thumbnail_index.tolist())
    click_in_plot(page, *points[image].tolist())
    closer = page.locator("#map .closer")
    sync_api.expect(closer.locator("h3")).to_have_text(f"image {image}")
    check_nearest(closer, digits_run, image)


def test_enter_on_the_map_shows_the_nearest_training_images(page: Any) -> None:
    page.locator(".map").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    sync_api.expect(page.locator("#map .closer .near li")).to_have_count(5)
    sync_api.expect(page.locator("#map .closer h3")).to_be_focused()


def test_a_lasso_shows_the_images_inside(page: Any, digits_run: RunResults) -> None:
    page.get_by_label("lasso").check()
    outputs = digits_run.outputs
    box = page.evaluate(
        """() => {
          const plot = document.querySelector(".map .plot");
          plot.scrollIntoView({ block: "center", behavior: "instant" });
          const { left, top } = plot.getBoundingClientRect(), { xaxis, yaxis } = plot._fullLayout;
          return { left: left + xaxis._offset, top: top + yaxis._offset, width: xaxis._length, height: yaxis._length };
        }"""
    )
    middle = box["left"] + box["width"] / 2
    corners = [(box["left"] + 2, box["top"] + 2), (middle, box["top"] + 2)]
    corners += [(middle, box["top"] + box["height"] - 2), (box["left"] + 2, box["top"] + box["height"] - 2)]
    page.mouse.move(*corners[0])
    page.mouse.down()
    for corner in (*corners[1:], corners[0]):
        page.mouse.move(*corner, steps=8)
    page.mouse.up()
    low, high = page.evaluate("document.querySelector('.map .plot')._fullLayout.xaxis.range")
    inside = int((outputs.coordinates[:, 0] < (low + high) / 2).sum())
    heading = page.locator("#map .closer h3")
    sync_api.expect(heading).to_contain_text("chosen images")
    assert abs(int(heading.inner_text().split()[0]) - inside) <= 3  # points on the border
    page.get_by_label("zoom").check()


def test_keys_choose_several_images_of_the_map(page: Any) -> None:
    page.locator(".map").focus()
    for key in ("ArrowRight", "Space", "ArrowRight", "Space", "Enter"):
        page.keyboard.press(key)
    closer = page.locator("#map .closer")
    sync_api.expect(closer.locator("h3")).to_have_text("2 chosen images")
    assert len(shown_images(closer)) == 2
    page.keyboard.press("Escape")


def test_a_mistake_leads_to_its_nearest_training_images(page: Any, digits_run: RunResults) -> None:
    first = confident_mistakes(digits_run.outputs)[0].image
    page.locator("#mistakes .gallery button").first.focus()
    page.keyboard.press("Enter")
    sync_api.expect(page.locator("#mistakes .closer h3")).to_have_text(f"image {first}")
    check_nearest(page.locator("#mistakes .closer"), digits_run, first)


def test_hostile_names_of_files_and_classes(open_page: Callable[..., Any], make_run: Callable[..., RunResults]) -> None:
    evil = "<img src=x onerror=alert(1)>'\"&"
    run = make_run(3, names=[evil, "</script><b>", "c"])
    outputs = replace(run.outputs, names=[f"{evil}{image}.png" for image in range(400)])
    page = open_page(build_report(replace(run, outputs=outputs)))
    click_in_plot(page, *page.evaluate(CELL, [0, 0]))
    closer = page.locator("#confusion .closer")
    assert evil in closer.locator("h3").inner_text()
    assert closer.locator(".file").first.inner_text().startswith(evil)
    closer.locator("li button").first.click()
    assert closer.locator(".detail .note").inner_text() == "The nearest training images of this image were not kept."
    page.locator(".map").focus()
    page.keyboard.press("ArrowRight")
    assert evil in page.locator(".tooltip").inner_text()
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("classes", [2, 1000])
def test_few_and_many_classes(open_page: Callable[..., Any], make_run: Callable[..., RunResults], classes: int) -> None:
    run = make_run(classes, images=2000)
    page = open_page(build_report(run))
    button = page.locator("#confusion button[data-label]").first
    label, predicted = (int(button.get_attribute(f"data-{name}")) for name in ("label", "predicted"))
    button.click()
    images = in_cell(run, label, predicted)
    expect = page.locator("#confusion .closer h3")
    assert expect.inner_text().startswith(f"{len(images)} image")
    page.locator(".filter [name=class]").select_option(str(label))
    total = int((run.outputs.labels == label).sum())
    assert page.locator(".filter-status").inner_text().startswith(f"{total:,} of 2,000 test images")


def test_without_any_images_and_without_stage_2(
    open_page: Callable[..., Any], make_run: Callable[..., RunResults]
) -> None:
    run = make_run(3)
    bare = replace(run.outputs, thumbnails=np.zeros((0, 1, 1, 1), np.uint8), thumbnail_index=np.zeros(0, np.int64))
    page = open_page(build_report(replace(run, outputs=bare, curves={"stage1": run.curves["stage1"]})))
    assert page.locator("#training h3").all_inner_texts() == ["Stage 1: the encoder"]
    click_in_plot(page, *page.evaluate(CELL, [0, 0]))
    assert page.locator("#confusion .closer .missing").count() == 24

import json
import math
import re
import time
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from supcon.report import RunResults, Suspects, TrainingImages, build_report

EVIL = ['<b>"x"&</b>', "</script><script>alert(1)</script>", "ünïcødé 数字 @figures@ {{ 7 * 7 }} ${x} %(y)s"]
VOID = {"meta", "link", "br", "input"}


def without_plotly(html: str) -> str:
    return re.sub(r'(id="plotly">)[^<]+', r"\1", html)


class Page(HTMLParser):
    """What a page has: its text outside scripts, its elements, and whether they are nested properly."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.figures: list[Any] = []
        self.feed(without_plotly(html))
        self.close()
        assert self.open == [], "an element was left open"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            if self.elements[-1][1].get("type") == "application/json":
                self.figures.append(json.loads(data))
        elif self.open and self.open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def having(self, attribute: str) -> list[str]:
        return [attributes[attribute] or "" for _, attributes in self.elements if attribute in attributes]


@pytest.fixture(scope="module")
def page(digits_run: RunResults) -> Page:
    return Page(build_report(digits_run))


def test_one_file_that_refers_to_nothing(page: Page) -> None:
    assert page.having("src") == []
    assert [href for href in page.having("href") if not href.startswith("#")] == ["data:,"]
    assert "default-src 'none'" in " ".join(page.having("content"))


def test_links_and_ids(page: Page) -> None:
    ids = page.having("id")
    assert len(ids) == len(set(ids))
    assert {href.removeprefix("#") for href in page.having("href") if href.startswith("#")} <= set(ids)


def test_headings_do_not_skip_a_level(page: Page) -> None:
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_plot_has_words(page: Page) -> None:
    plots = [attributes for _, attributes in page.elements if "plot" in (attributes.get("class") or "").split()]
    assert len(plots) == 10
    assert all(plot["role"] == "img" and len(plot["aria-label"] or "") > 40 for plot in plots)


def test_figures_and_recipe_are_those_of_the_run(page: Page, digits_run: RunResults) -> None:
    assert f"{100 * digits_run.measures['test/top1']:.2f}\xa0%".replace("\xa0", " ") in page.text
    assert "supcon train digits --method supcon --seed 0" in page.text
    assert "learning_rate: 0.4" in page.text
    assert "versions.torch 2.15.0" in page.text
    assert "counts.validation 144" in page.text
    wrong = (~digits_run.outputs.correct).sum()
    assert f"{wrong} of 360 test images are classified wrongly" in page.text
    assert build_report(digits_run).count('<p>predicted <span class="wrong">') == wrong


def test_plotly_knows_every_word_of_the_figures(page: Page) -> None:
    figures = [figure for figure in page.figures if "layout" in figure]
    assert len(figures) == 10
    for figure in figures:
        go.Figure(figure)


def test_the_page_is_small_beside_its_plotting_library(digits_run: RunResults) -> None:
    assert len(without_plotly(build_report(digits_run)).encode()) < 300_000


def test_names_are_shown_and_never_obeyed(make_run: Callable[..., RunResults]) -> None:
    run = replace(make_run(3, names=EVIL), name="<i>run</i>", environment={"command": "a && b <c>", "<u>": "<s>"})
    html = build_report(run)
    page = Page(html)
    for name in [*EVIL, "<i>run</i>", "a && b <c>", "<u>", "<s>"]:
        assert " ".join(name.split()) in page.text
    assert not {"b", "i", "u", "s"} & {tag for tag, _ in page.elements}
    assert "alert(1)</script>" not in html
    assert sum(tag == "script" for tag, _ in page.elements) == sum(
        tag == "script" for tag, _ in Page(build_report(make_run(3))).elements
    )


@pytest.mark.parametrize("classes", [2, 20, 21, 200])
def test_any_number_of_classes(make_run: Callable[..., RunResults], classes: int) -> None:
    html = build_report(make_run(classes))
    page = Page(html)
    assert page.text.count("class 1 ") >= 1
    chips = sum((attributes.get("class") or "") == "chip" for _, attributes in page.elements)
    options = sum(tag == "option" for tag, _ in page.elements)
    assert (chips, options) == (classes if classes <= 20 else 0, classes + 1 + 3)  # of the class, and right or wrong
    assert len(without_plotly(html)) < 1_000_000


def test_no_mistakes_at_all(make_run: Callable[..., RunResults]) -> None:
    run = make_run(3)
    page = Page(build_report(replace(run, outputs=replace(run.outputs, labels=run.outputs.predicted))))
    assert "None: all 400 test images are classified correctly." in page.text
    assert "There are no confusions." in page.text


def test_missing_curves(digits_run: RunResults) -> None:
    page = Page(build_report(replace(digits_run, curves={"stage1": {}})))
    assert "training" not in page.having("id")
    assert "#training" not in page.having("href")


def test_one_stage(baseline_run: RunResults) -> None:
    page = Page(build_report(baseline_run))
    assert "Training, encoder and classifier together" in page.text
    assert "Stage 2" not in page.text
    assert "The dashed line" not in page.text


def test_the_collapsed_loss_is_explained_for_contrastive_losses(page: Page) -> None:
    assert f"The dashed line at {math.log(511):.2f}" in page.text


def test_measures_that_are_no_numbers(digits_run: RunResults) -> None:
    run = replace(digits_run, measures=dict.fromkeys(digits_run.measures, math.nan))
    text = Page(build_report(run)).text
    assert "nan" not in text.lower().split()
    assert text.count("not available") >= 10


def test_without_map_thumbnails_or_command(make_run: Callable[..., RunResults]) -> None:
    run = make_run(3)
    bare = replace(
        run.outputs,
        map_index=np.zeros(0, int),
        coordinates=np.zeros((0, 2)),
        thumbnails=np.zeros((0, 1, 1, 1), np.uint8),
        thumbnail_index=np.zeros(0, int),
    )
    page = Page(build_report(replace(run, outputs=bare, environment={}, measures={}, recipe={})))
    assert "There are too few images for a map." in page.text
    assert "no image" in page.text
    assert "The command of this run" not in page.text


def test_a_command_given_as_words(digits_run: RunResults) -> None:
    run = replace(digits_run, environment={"command": ["supcon", "train", "photos"]})
    assert "The command of this run: supcon train photos" in Page(build_report(run)).text


def test_two_thousand_photographs_fit_into_eight_megabytes(make_run: Callable[..., RunResults]) -> None:
    """Noise is the worst case: no picture compresses less."""
    random = np.random.default_rng(0)
    run = make_run(10, images=2000)
    outputs = replace(
        run.outputs,
        thumbnails=random.integers(0, 256, (2000, 48, 48, 3), dtype=np.uint8),
        thumbnail_index=np.arange(2000),
        names=[f"test/class {image % 10}/photograph {image:05}.jpg" for image in range(2000)],
    )
    training = TrainingImages(
        labels=random.integers(0, 10, 6000),
        names=[f"train/photograph {image:05}.jpg" for image in range(6000)],
        thumbnails=random.integers(0, 256, (3000, 48, 48, 3), dtype=np.uint8),
        nearest=random.integers(0, 6000, (2000, 5)),
        similarity=random.uniform(size=(2000, 5)),
        suspects=Suspects(
            images=np.arange(24),
            nearest=random.integers(0, 6000, (24, 3)),
            voted=random.integers(0, 10, 24),
            share=random.uniform(size=24),
            own_share=random.uniform(size=24),
        ),
    )
    start = time.process_time()  # others may have the cores
    page = build_report(replace(run, outputs=outputs, training=training))
    assert time.process_time() - start < 20
    assert len(page.encode()) < 8_000_000

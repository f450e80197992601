from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np

from supcon.report import RunResults, build_comparison


class Words(HTMLParser):
    """The words of a page, without scripts and elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.feed(html.split("<body>")[1].split("<footer>")[0])

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def text_of(html: str) -> str:
    return " ".join(" ".join(Words(html).words).split())


def test_page_of_two_runs(digits_run: RunResults, baseline_run: RunResults) -> None:
    text = text_of(build_comparison([digits_run, baseline_run]))
    assert f"Test accuracy ↑ higher ★ {100 * digits_run.measures['test/top1']:.2f} %" in text
    assert "Tested on the same 360 images." in text
    assert "setting digits-supcon digits-cross-entropy method supcon cross-entropy stage2.epochs 30 –" in text
    assert "stage1.epochs" not in text
    assert "Agreement" in text
    assert "All classes" in text
    assert "only digits-supcon correct" in text
    assert "runs with several seeds would show how much of a difference is due to the seed" in text


def test_page_of_many_seeds(
    digits_run: RunResults, baseline_run: RunResults, repeat_run: Callable[..., RunResults]
) -> None:
    runs = [repeat_run(run, seed, 0.001 * seed) for run in (digits_run, baseline_run) for seed in range(3)]
    text = text_of(build_comparison(runs))
    assert "digits-supcon : supervised contrastive learning, 3 seeds" in text
    assert f"{100 * digits_run.measures['test/top1'] + 0.1:.2f} % ± 0.10" in text


def test_page_of_different_test_images(digits_run: RunResults, make_run: Callable[..., RunResults]) -> None:
    other = replace(make_run(10, images=50), recipe={"method": "cross-entropy"})
    text = text_of(build_comparison([digits_run, other]))
    assert "The runs were tested on different images, so compare their values with care." in text
    assert "Agreement" not in text
    assert "All classes" not in text


def test_seeds_with_their_own_split_are_not_compared_image_by_image(
    digits_run: RunResults, baseline_run: RunResults
) -> None:
    moved = replace(digits_run, outputs=replace(digits_run.outputs, labels=np.roll(digits_run.outputs.labels, 1)))
    text = text_of(build_comparison([digits_run, moved, baseline_run]))
    assert "Agreement" not in text
    assert "different images" in text


def test_names_are_shown_and_never_obeyed(make_run: Callable[..., RunResults]) -> None:
    evil = make_run(2, names=["<b>x</b>", "</script>"])
    other = replace(evil, name="<i>run</i>", recipe={"method": "<u>", "<s>": "<q>"})
    html = build_comparison([evil, other])
    for element in ("<b>x", "<i>run", "<u>", "<s>", "<q>"):
        assert element not in html
        assert element in text_of(html)

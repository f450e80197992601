from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import plotly.graph_objects as go
import pytest

from supcon.report import RunResults, build_comparison, group_runs
from supcon.report.plots.comparison_plots import (
    CLASSES_SHOWN,
    class_accuracy,
    class_difference_plot,
    overlaid_curves,
    pooled_reliability,
)
from supcon.report.tables.agreement import agreement, same_test_images, verdict


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


def flipped(run: RunResults, images: list[int]) -> RunResults:
    """The run with another prediction for some images."""
    probabilities = run.outputs.probabilities.copy()
    probabilities[images] = np.roll(probabilities[images], 1, axis=1)
    recipe = {**run.recipe, "method": "simclr"}
    return replace(run, name="other", recipe=recipe, outputs=replace(run.outputs, probabilities=probabilities))


def test_agreement_counts_images(digits_run: RunResults) -> None:
    right = np.flatnonzero(digits_run.outputs.correct)[:7].tolist()
    first, second = group_runs([digits_run, flipped(digits_run, right)])
    table = agreement(first, second)
    correct = int(digits_run.outputs.correct.sum())
    assert (table.both, table.only_first, table.only_second, table.neither) == (correct - 7, 7, 0, 360 - correct)
    assert table.images == 360
    assert table.rows()[1] == ("only digits-supcon correct", 7)


@pytest.mark.parametrize(
    ("images", "worth"), [(1, ", not significant (paired test"), (40, ", significant (paired test")]
)
def test_verdict_says_whether_it_could_be_chance(digits_run: RunResults, images: int, worth: str) -> None:
    right = np.flatnonzero(digits_run.outputs.correct)[:images].tolist()
    first, second = group_runs([digits_run, flipped(digits_run, right)])
    text = verdict(second, first)
    assert worth in text
    assert f"−{100 * images / 360:.1f} points" in text


def test_same_test_images(digits_run: RunResults, make_run: Callable[..., RunResults]) -> None:
    assert same_test_images(digits_run, digits_run)
    assert not same_test_images(digits_run, make_run(10, images=360))
    renamed = replace(digits_run, data={**digits_run.data, "class_names": list("abcdefghij")})
    assert not same_test_images(digits_run, renamed)


def test_losses_of_different_methods_have_plots_of_their_own(digits_run: RunResults, baseline_run: RunResults) -> None:
    plots = overlaid_curves(group_runs([digits_run, baseline_run]), "stage1")
    assert [plot.title for plot in plots] == ["Accuracy", "Loss of supcon", "Loss of cross-entropy"]
    names = [trace["name"] for trace in plots[0].figure["data"]]
    assert names == ["digits-supcon: validation, k-NN", "digits-cross-entropy: validation, top-1"]
    assert len({trace["line"]["color"] for trace in plots[0].figure["data"]}) == 2


def test_every_seed_has_a_line(digits_run: RunResults, repeat_run: Callable[..., RunResults]) -> None:
    groups = group_runs([repeat_run(digits_run, seed, 0) for seed in range(3)])
    accuracy, loss = overlaid_curves(groups, "stage2")
    assert len(accuracy.figure["data"]) == 3
    assert len(loss.figure["data"]) == 6
    assert sum(trace["showlegend"] for trace in loss.figure["data"]) == 2


def test_reliability_is_over_all_seeds(digits_run: RunResults) -> None:
    (group,) = group_runs([digits_run, digits_run])
    assert sum(pooled_reliability(group).figure["data"][3]["y"]) == 720


def test_difference_by_class(digits_run: RunResults, baseline_run: RunResults) -> None:
    groups = group_runs([digits_run, baseline_run])
    plot = class_difference_plot(groups, digits_run.class_names)
    (bars,) = plot.figure["data"]
    for c in range(10):
        of_class = digits_run.outputs.labels == c
        first, second = (run.outputs.correct[of_class].mean() for run in (digits_run, baseline_run))
        assert bars["x"][c] == pytest.approx(100 * (second - first), abs=1e-3)
        assert class_accuracy(groups[0])[c] == pytest.approx(first)
    go.Figure(plot.figure)


def test_of_many_classes_the_most_different_are_shown(make_run: Callable[..., RunResults]) -> None:
    first, second = make_run(100), make_run(100, accuracy=0.5)
    second = replace(second, recipe={"method": "other"})
    groups = group_runs([first, second])
    difference = np.abs(class_accuracy(groups[1]) - class_accuracy(groups[0]))
    (bars,) = class_difference_plot(groups, first.class_names).figure["data"]
    assert len(bars["x"]) == CLASSES_SHOWN
    assert sorted(np.abs(bars["x"])) == pytest.approx(sorted(100 * np.sort(difference)[-CLASSES_SHOWN:]), abs=1e-3)


def test_page_of_two_runs(digits_run: RunResults, baseline_run: RunResults) -> None:
    text = text_of(build_comparison([digits_run, baseline_run]))
    assert f"Test accuracy ↑ higher ★ {100 * digits_run.measures['test/top1']:.2f} %" in text
    assert "Tested on the same 360 images." in text
    assert "setting digits-supcon digits-cross-entropy method supcon cross-entropy stage2.epochs 30 –" in text
    assert "stage1.epochs" not in text
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
    assert "Who is right where" not in text
    assert "Every class" not in text


def test_seeds_with_their_own_split_are_not_compared_image_by_image(
    digits_run: RunResults, baseline_run: RunResults
) -> None:
    moved = replace(digits_run, outputs=replace(digits_run.outputs, labels=np.roll(digits_run.outputs.labels, 1)))
    text = text_of(build_comparison([digits_run, moved, baseline_run]))
    assert "Who is right where" not in text
    assert "different images" in text


def test_names_are_shown_and_never_obeyed(make_run: Callable[..., RunResults]) -> None:
    evil = make_run(2, names=["<b>x</b>", "</script>"])
    other = replace(evil, name="<i>run</i>", recipe={"method": "<u>", "<s>": "<q>"})
    html = build_comparison([evil, other])
    for element in ("<b>x", "<i>run", "<u>", "<s>", "<q>"):
        assert element not in html
        assert element in text_of(html)


def test_equal_labels_of_other_images_are_not_the_same_test_images(digits_run: RunResults) -> None:
    """A stratified split with another seed has the same labels in the same order."""
    first, second = (
        replace(digits_run, outputs=replace(digits_run.outputs, fingerprint=fingerprint)) for fingerprint in "ab"
    )
    assert same_test_images(first, first)
    assert not same_test_images(first, second)
    assert same_test_images(first, digits_run), "results without a fingerprint are compared by their labels"

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from supcon.evaluation import confusion_matrix
from supcon.report import RunResults
from supcon.report.plots.confusion_plot import DOTS, confusion_plot
from supcon.report.run_results import Outputs


def matrix_of(outputs: Outputs) -> Any:
    return confusion_matrix(outputs.probabilities, outputs.labels)


def test_every_cell_is_drawn_once_with_its_count(digits_run: RunResults) -> None:
    matrix = matrix_of(digits_run.outputs)
    right, wrong = confusion_plot(matrix, digits_run.class_names).figure["data"]
    for i in range(10):
        for j in range(10):
            drawn = [trace["text"][i][j] for trace in (right, wrong) if trace["z"][i][j] is not None]
            assert drawn == ([str(matrix[i, j])] if i == j or matrix[i, j] else [])
    assert right["z"][8][8] == pytest.approx(100 * matrix[8, 8] / matrix[8].sum(), rel=1e-4)


def test_words_of_a_cell_have_no_markup(make_run: Callable[..., RunResults]) -> None:
    run = make_run(2, names=["<b>", "c&d"])
    matrix = matrix_of(run.outputs)
    _, wrong = confusion_plot(matrix, run.class_names).figure["data"]
    assert wrong["hovertext"][0][1].startswith(
        f"&lt;b&gt;, predicted as c&amp;d: {matrix[0, 1]} of {matrix[0].sum()} ("
    )


def test_some_classes_have_no_counts_and_few_labels(make_run: Callable[..., RunResults]) -> None:
    run = make_run(60)
    figure = confusion_plot(matrix_of(run.outputs), run.class_names).figure
    assert "text" not in figure["data"][0]
    assert len(figure["layout"]["xaxis"]["ticktext"]) <= 25


def test_many_classes_are_dots_of_the_most_frequent_pairs() -> None:
    generator = np.random.default_rng(0)
    matrix = generator.poisson(0.2, (300, 300))
    np.fill_diagonal(matrix, 50)
    dots = confusion_plot(matrix, [str(c) for c in range(300)]).figure["data"][1]
    counts = [matrix[i, j] for i, j in zip(dots["y"], dots["x"], strict=True)]
    wrong = matrix[~np.eye(300, dtype=bool)]
    assert sorted(counts) == sorted(np.sort(wrong)[::-1][:DOTS])
    assert np.median(dots["y"]) == pytest.approx(150, abs=25), "no class is favoured among equally frequent pairs"


def test_a_class_without_test_images(make_run: Callable[..., RunResults]) -> None:
    run = make_run(3)
    outputs = replace(run.outputs, labels=np.minimum(run.outputs.labels, 1))
    figure = confusion_plot(matrix_of(outputs), run.class_names).figure
    assert figure["data"][0]["z"][2][2] == 0
    assert figure["data"][0]["hovertext"][2][2] == "class 2, correct: 0 of 0"


@pytest.mark.parametrize("classes", [2, 60, 200])
def test_plotly_knows_every_word_of_the_figure(make_run: Callable[..., RunResults], classes: int) -> None:
    run = make_run(classes)
    go.Figure(confusion_plot(matrix_of(run.outputs), run.class_names).figure)

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
import yaml
from markdown_it import MarkdownIt

from supcon.report import RunResults, comparison_markdown, report_markdown


def render(text: str) -> str:
    return str(MarkdownIt("commonmark").enable("table").render(text))


def test_figures_are_those_of_the_page(digits_run: RunResults) -> None:
    text = report_markdown(digits_run)
    assert text.startswith("# digits-supcon\n")
    assert f"| Test accuracy | {100 * digits_run.measures['test/top1']:.2f}\xa0% |" in text
    assert "| `parameters/encoder` | 694,016 |" in text
    assert "supcon train digits --method supcon --seed 0" in text
    recipe = text.split("```yaml\n")[1].split("```")[0]
    assert yaml.safe_load(recipe) == digits_run.recipe


def test_every_table_is_one(digits_run: RunResults) -> None:
    html = render(report_markdown(digits_run))
    assert html.count("<table>") == 8
    assert html.count("<tr>") == report_markdown(digits_run).count("\n|") - 8
    assert "|" not in html.split("<h2>Reproduce it")[0]


def test_names_are_shown_and_never_obeyed(make_run: Callable[..., RunResults]) -> None:
    names = ['<b>"x"&</b>', "a|b `c` *d* _e_ [f](g) \\", "two\nlines &amp;"]
    html = render(report_markdown(make_run(3, names=names)))
    for shown in (
        "&lt;b&gt;&quot;x&quot;&amp;&lt;/b&gt;",
        "a|b `c` *d* _e_ [f](g) \\",
        "two lines &amp;amp;",
    ):
        assert f"<td>{shown}</td>" in html
    assert "<b>" not in html


def test_a_command_with_fences(digits_run: RunResults) -> None:
    html = render(report_markdown(replace(digits_run, environment={"command": "echo ```` x"})))
    assert "echo ```` x" in html
    assert html.count("<pre>") == 2 + 3  # command and recipe, and the lines that use the model


def test_no_mistakes(make_run: Callable[..., RunResults]) -> None:
    run = make_run(3)
    text = report_markdown(replace(run, outputs=replace(run.outputs, labels=run.outputs.predicted)))
    assert text.count("None.") == 2


def test_nan(digits_run: RunResults) -> None:
    assert "| `test/ece` | not available |" in report_markdown(replace(digits_run, measures={"test/ece": math.nan}))


def test_comparison_marks_the_better_value(digits_run: RunResults, baseline_run: RunResults) -> None:
    text = comparison_markdown([digits_run, baseline_run])
    first, second = (100 * run.measures["test/top1"] for run in (digits_run, baseline_run))
    assert first > second
    assert f"| Test accuracy | higher | **{first:.2f}\xa0%** | {second:.2f}\xa0% |" in text
    first, second = (100 * run.measures["test/ece"] for run in (digits_run, baseline_run))
    assert first < second
    assert f"| Test calibration error | lower | **{first:.2f}\xa0%** | {second:.2f}\xa0% |" in text
    assert "| Time of stage 2 | lower | 4.9 s | – |" in text
    assert "| `method` | supcon | cross-entropy |" in text
    assert "`stage1.epochs`" not in text
    assert "digits-cross-entropy has a test accuracy of" in text


def test_comparison_of_seeds_alone(digits_run: RunResults, repeat_run: Callable[..., RunResults]) -> None:
    text = comparison_markdown([repeat_run(digits_run, seed, 0.01 * seed) for seed in range(3)])
    mean = 100 * digits_run.measures["test/top1"] + 1
    assert f"| Test accuracy | higher | {mean:.2f}\xa0% ± 1.00 |" in text
    assert "digits-supcon (3 seeds)" in text
    assert "Only the seed." in text


def test_one_run_is_no_comparison(digits_run: RunResults) -> None:
    with pytest.raises(ValueError, match="at least two runs, got 1; add another"):
        comparison_markdown([digits_run])


def test_labels_and_pairs(digits_run: RunResults) -> None:
    text = report_markdown(digits_run)
    assert "## Suspicious labels" in text
    training = digits_run.training
    assert training is not None
    assert f"| {training.names[7].replace('_', chr(92) + '_')} | {training.labels[7]} | 1 | 90\xa0% |" in text
    assert "The hardest fifth of the negatives has 20.0\xa0% at the start of training and 80.0\xa0% at the end" in text

import math
from collections.abc import Callable
from dataclasses import replace

import yaml
from markdown_it import MarkdownIt

from supcon.report import RunResults, report_markdown


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


def test_labels_and_pairs(digits_run: RunResults) -> None:
    text = report_markdown(digits_run)
    assert "## Suspicious labels" in text
    training = digits_run.training
    assert training is not None
    assert f"| {training.names[7].replace('_', chr(92) + '_')} | {training.labels[7]} | 1 | 90\xa0% |" in text
    assert "The hardest fifth of the negatives has 20.0\xa0% at the start of training and 80.0\xa0% at the end" in text

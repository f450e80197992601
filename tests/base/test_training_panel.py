import io
import sys

import pytest
from rich.console import Console

from supcon.base import training_panel as panel
from supcon.base.progress import say
from supcon.base.training_panel import Figure, merged, sparkline, training_panel


def test_a_box_with_bar_figures_and_history(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=80, color_system=None)
    monkeypatch.setattr(panel, "Console", lambda **_: console)
    with training_panel("stage 1, contrastive", 10, "steps") as show:
        for epoch in range(1, 4):
            figures = {"loss": Figure(f"{5 - epoch}.000", 5.0 - epoch), "speed": Figure("9 images/s")}
            show(2, f"epoch {epoch}", figures | ({"k-NN": Figure("97.1 %", 0.971)} if epoch == 2 else {}))
    text = file.getvalue()
    last = text[text.rindex("╭") :]
    assert "stage 1, contrastive · epoch 3" in last
    assert "6/10" in last
    assert "█▅▁" in last  # the loss falls
    for words in ("loss", "2.000", "k-NN", "97.1 %", "speed", "9 images/s"):
        assert words in last
    assert max(map(len, last.splitlines())) <= 77, (
        "^C, which the terminal writes behind the panel, would begin a new line"
    )


def test_a_sentence_is_printed_above_the_box_and_not_into_it(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=80, color_system=None)
    monkeypatch.setattr(panel, "Console", lambda **_: console)
    with training_panel("stage 1", 10, "steps") as show:
        show(1, "epoch 1", {"loss": Figure("4.100", 4.1)})
        before = file.getvalue()
        say("A sentence.")
        said = file.getvalue().removeprefix(before)
    erased = "\x1b[1A\x1b[2K"  # a line up, and emptied
    assert said.index(erased) < said.index("A sentence.") < said.index("╭")


def test_plain_lines_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert not sys.stderr.isatty()
    with training_panel("stage 1", 2, "steps") as show:
        show(1, "epoch 1", {"loss": Figure("4.100", 4.1)})
        show(1, "epoch 2", {"loss": Figure("3.900", 3.9), "k-NN": Figure("97.1 %", 0.971)})
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("stage 1: 2/2 steps [")
    assert lines[0].endswith("epoch 2 · loss 3.900 · k-NN 97.1 %")


def test_a_name_keeps_its_place() -> None:
    known = {"loss": Figure("1"), "speed": Figure("2")}
    both = merged(known, {"loss": Figure("0"), "k-NN": Figure("3"), "speed": Figure("4")})
    assert {name: figure.text for name, figure in both.items()} == {"loss": "0", "k-NN": "3", "speed": "4"}
    assert list(both) == ["loss", "k-NN", "speed"]
    assert list(merged(both, {"speed": Figure("5")})) == ["loss", "k-NN", "speed"]


def test_a_long_history_fits() -> None:
    assert len(sparkline(list(range(1000)), width=24)) == 24
    assert sparkline([1.0, float(2)]) == "▁█"

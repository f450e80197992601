import io
import itertools
import threading

import pytest
from rich.console import Console
from rich.text import Text

from supcon.base import progress
from supcon.base.progress import bar, say, waiting


def test_sentences_go_to_stderr_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    say("[bold]a class name[/bold] of 100 % " + "long " * 60 + "sentence")
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "[bold]a class name[/bold] of 100 % " + "long " * 60 + "sentence\n"


@pytest.fixture
def minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look at the clock is half a minute after the one before."""
    clock = iter(range(0, 100_000, 30))
    monkeypatch.setattr("time.monotonic", lambda: float(next(clock)))


@pytest.mark.usefixtures("minutes")
def test_a_line_a_minute_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with bar("stage 1", 5, "steps") as advance:
        for number in range(5):
            advance(note=f"loss {number}")
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "stage 1: 2/5 steps [01:00<01:30, 30.0 s/step] loss 1",
        "stage 1: 4/5 steps [02:00<00:30, 30.0 s/step] loss 3",
        "stage 1: 5/5 steps [02:30<00:00, 30.0 s/step] loss 4",
    ]


@pytest.fixture
def no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, only a thousandth of a second passes between two looks at the clock."""
    clock = itertools.count()
    monkeypatch.setattr("time.monotonic", lambda: next(clock) / 1000)


@pytest.mark.usefixtures("no_time")
def test_what_is_short_says_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with bar("evaluation", 10, "images") as advance:
        advance(steps=4, note="map")
        advance(steps=0)
        advance(steps=6)
        advance(steps=0, note="")
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("evaluation: 10/10 images [00:00<00:00, ")
    assert line.endswith("images/s] map")


def test_nothing_to_do_is_no_problem(capsys: pytest.CaptureFixture[str]) -> None:
    with bar("nothing", 0):
        pass
    assert capsys.readouterr().err == ""


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=120)
    monkeypatch.setattr(progress, "Console", lambda **_: console)
    return screen


def test_a_bar_that_counts_on_a_terminal(terminal: io.StringIO) -> None:
    with bar("stage 1", 3, "epochs") as advance:
        for loss in (3.0, 2.0, 1.0):
            advance(note=f"loss {loss}")
    shown = terminal.getvalue()
    assert "stage 1" in shown
    assert "3/3" in shown
    assert "loss 1.0" in shown


def test_a_sentence_during_a_spinner_gets_a_line_of_its_own_and_wraps_at_words(terminal: io.StringIO) -> None:
    with waiting("checking the images"):
        say("the recipe " * 15)
    lines = Text.from_ansi(terminal.getvalue().replace("\r", "\n")).plain.splitlines()
    said = [line.rstrip() for line in lines if "recipe" in line]
    assert all(len(line) <= 120 for line in said)
    assert " ".join(said).split() == ["the", "recipe"] * 15
    assert not any("checking" in line for line in said)


def test_the_cursor_comes_back_after_an_error(terminal: io.StringIO) -> None:
    with pytest.raises(KeyError), bar("stage 1", 3):
        raise KeyError("x")
    shown = terminal.getvalue()
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")


def test_many_threads_may_advance_one_bar(terminal: io.StringIO) -> None:
    with bar("decoding images", 400, "images") as advance:
        threads = [threading.Thread(target=lambda: [advance() for _ in range(50)]) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert "400/400" in terminal.getvalue()


def test_many_threads_may_advance_lines_too(capsys: pytest.CaptureFixture[str]) -> None:
    with bar("decoding images", 4000, "images") as advance:
        threads = [threading.Thread(target=lambda: [advance() for _ in range(500)]) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("decoding images: 4000/4000 images ")


@pytest.mark.usefixtures("minutes")
def test_the_time_left_counts_only_what_was_done_now(capsys: pytest.CaptureFixture[str]) -> None:
    with bar("stage 1", 100, "steps", done=80) as advance:
        advance(steps=5)
        advance(steps=5)
        advance(steps=10)
    assert capsys.readouterr().err.splitlines() == [
        "stage 1: 90/100 steps [01:00<01:00, 6.00 s/step]",
        "stage 1: 100/100 steps [01:30<00:00, 4.50 s/step]",
    ]


@pytest.mark.parametrize("width", [80, 120])
def test_the_bar_and_its_note_fit_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=width)
    monkeypatch.setattr(progress, "Console", lambda **_: console)
    note = "epoch 100 · loss 4.149 · train 100.0% · k-NN 100.0% · 12,345 images/s"
    with bar("stage 1, contrastive", 100_000, "steps", done=99_990) as advance:
        advance(steps=9, note=note)
    lines = Text.from_ansi(screen.getvalue().replace("\r", "\n")).plain.splitlines()
    [last] = [line for line in lines if "99999/100000" in line][-1:]
    assert len(last) <= width
    assert "stage 1, contrastive 100%" in last
    assert last.rstrip().endswith("steps/s]")
    assert any(line.strip() == note for line in lines)


def test_only_the_first_of_several_processes_talks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_RANK", "1")
    say("a sentence")
    with bar("stage 1", 2) as advance:
        advance(steps=2, note="loss")
    assert capsys.readouterr() == ("", "")

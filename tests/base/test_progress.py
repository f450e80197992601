import io
import threading

import pytest
from rich.console import Console

from supcon.base import progress
from supcon.base.progress import bar, say


def test_sentences_go_to_stderr_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    say("[bold]a class name[/bold] of 100 % " + "long " * 60)
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "[bold]a class name[/bold] of 100 % " + "long " * 60 + "\n"


def test_a_line_every_tenth_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with bar("decoding images", 40, "images") as advance:
        for number in range(40):
            advance(note=f"loss {number}")
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [f"decoding images: {n}/40 images loss {n - 1}" for n in range(4, 41, 4)]


def test_large_steps_and_a_note_that_stays(capsys: pytest.CaptureFixture[str]) -> None:
    with bar("evaluation", 10) as advance:
        advance(steps=4, note="map")
        advance(steps=0)
        advance(steps=6)
    assert capsys.readouterr().err.splitlines() == ["evaluation: 4/10  map", "evaluation: 10/10  map"]


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
    assert [line.split(",")[0] for line in capsys.readouterr().err.splitlines()] == [
        f"decoding images: {n}/4000 images" for n in range(400, 4001, 400)
    ]


def test_the_time_left_counts_only_what_was_done_now(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([100.0, 110.0, 120.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    with bar("stage 1", 100, "steps", done=80) as advance:
        advance(steps=10)
        advance(steps=10)
    assert capsys.readouterr().err.splitlines() == ["stage 1: 90/100 steps, 0:00:10 left", "stage 1: 100/100 steps"]


def test_only_the_first_of_several_processes_talks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_RANK", "1")
    say("a sentence")
    with bar("stage 1", 2) as advance:
        advance(steps=2, note="loss")
    assert capsys.readouterr() == ("", "")

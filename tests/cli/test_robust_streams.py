"""Readers that go away, and terminals that know few characters, in real processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from supcon.base.errors import WorkError
from supcon.cli.robust_streams import RobustFile

SUPCON = [sys.executable, "-m", "supcon"]


def test_a_reader_that_goes_away_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)
    file = RobustFile(write, "wb")
    assert file.write(b"nobody reads this") == 17
    assert file.write(b"nor this") == 8
    file.close()


def test_other_errors_of_writing_are_errors() -> None:
    with (
        RobustFile(os.open("/dev/full", os.O_WRONLY), "wb") as file,
        pytest.raises(
            WorkError, match=r"^The output could not be written \(No space left on device\); free some space"
        ),
    ):
        file.write(b"x")


def test_messages_that_cannot_be_written_are_dropped() -> None:
    with RobustFile(os.open("/dev/full", os.O_WRONLY), "wb") as file:
        file.results = False
        assert file.write(b"a message") == 9


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize("words", [["datasets"], ["recipes", "digits"], ["nothing"]])
def test_a_command_ends_as_usual_when_nobody_reads(words: list[str], stream: str) -> None:
    read, write = os.pipe()
    os.close(read)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: write}
    done = subprocess.run([*SUPCON, *words], **streams, text=True)  # type: ignore[call-overload]
    os.close(write)
    assert done.returncode == (2 if words == ["nothing"] else 0)
    if stream == "stdout":
        assert "Traceback" not in done.stderr
        assert "Exception ignored" not in done.stderr


def test_the_first_line_is_enough() -> None:
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {' '.join(SUPCON)} datasets | head -1"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "environment",
    [
        {"LANG": "C", "LC_ALL": "C"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"},
    ],
)
def test_every_encoding_of_the_terminal_will_do(environment: dict[str, str], tmp_path: Path) -> None:
    program = "import sys; from supcon.cli.robust_streams import make_streams_robust; make_streams_robust(); " + (
        "print('a \\u2026 \\u2602 \\udcff'); print('loss \\xb7 \\xb1', file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"a ")
    assert b"\\udcff" in done.stdout
    assert done.stderr.startswith(b"loss ")


@pytest.mark.parametrize("closed", [">&- 2>&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed_from_the_beginning(closed: str) -> None:
    program = "import sys; from supcon.cli.robust_streams import make_streams_robust; make_streams_robust(); " + (
        "print('a', sys.stdout.isatty()); print('b', file=sys.stderr)"
    )
    done = subprocess.run(["bash", "-c", f'"{sys.executable}" -c "{program}" {closed}'], capture_output=True, text=True)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", ["datasets", "--help", "recipes digits"])
def test_results_on_a_full_disk_are_one_sentence(words: str) -> None:
    done = subprocess.run(["bash", "-c", f"{' '.join(SUPCON)} {words} >/dev/full"], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr == (
        "supcon: The output could not be written (No space left on device); free some space or send it elsewhere, and "
        "repeat the command.\n"
    )


def test_messages_on_a_full_disk_do_not_change_the_end() -> None:
    assert subprocess.run(["bash", "-c", f"{' '.join(SUPCON)} nothing 2>/dev/full"]).returncode == 2

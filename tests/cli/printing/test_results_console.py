"""The console of results: lines are never broken in a pipe, and paths are shortened in a terminal."""

import pytest
from rich.table import Table

from supcon.cli.printing.results_console import PathCell, results_console, shortened

LONG = f"photos/{'deep/' * 40}name.jpg"


def printed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    table = Table(box=None)
    table.add_column("image")
    table.add_column("class", no_wrap=True)
    table.add_row(PathCell(LONG), "a class of its own")
    table.add_row(PathCell("b.jpg"), "another")
    results_console().print(table)
    return capsys.readouterr().out.splitlines()


def test_nothing_is_cut_in_a_pipe(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    _, row, other = printed(capsys)
    assert row.split(maxsplit=1) == [LONG, "a class of its own "]
    assert other.split() == ["b.jpg", "another"]


def test_a_path_is_shortened_in_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")
    _, row, other = printed(capsys)
    assert "photos/deep/" in row
    assert "…" in row
    assert "deep/name.jpg" in row
    assert "a class of its own" in row
    assert len(row) <= 80
    assert other.split() == ["b.jpg", "another"]


@pytest.mark.parametrize("width", [0, 1, 2, 5, 30])
def test_a_shortened_path_has_the_width(width: int) -> None:
    assert len(shortened(LONG, width)) == max(width, 1)
    assert shortened("b.jpg", max(width, 5)) == "b.jpg"

from pathlib import Path

import pytest

from supcon.cli.main import main


def test_the_page_is_built_again(tiny_runs: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    page = tiny_runs["simclr"] / "report.html"
    assert main(["report", str(tiny_runs["simclr"])]) == 0  # now with the baseline that was trained after it
    before = page.read_text()
    page.unlink()
    assert main(["report", str(tiny_runs["simclr"])]) == 0
    assert page.read_text() == before
    assert str(page) in capsys.readouterr().out

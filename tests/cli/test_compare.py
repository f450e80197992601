from pathlib import Path

import pytest

from supcon.cli.main import main


def test_the_table_and_the_page(tiny_runs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "pages" / "comparison.html"
    assert main(["compare", str(tiny_runs["supcon"]), str(tiny_runs["cross-entropy"]), "--out", str(page)]) == 0
    shown = capsys.readouterr().out
    assert "cross-entropy" in shown.splitlines()[0]
    assert f"comparison: {page}" in shown
    assert page.read_text().startswith("<!doctype html>")


def test_one_run_is_no_comparison(tiny_runs: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(tiny_runs["supcon"])]) == 2
    assert "at least two runs" in capsys.readouterr().err


def test_a_folder_that_is_no_run(
    tiny_runs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(tiny_runs["supcon"]), str(tmp_path)]) == 2
    assert "is not a run: it has no recipe.yaml" in capsys.readouterr().err

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
    assert "is not a run, it has no recipe.yaml" in capsys.readouterr().err


def test_the_same_run_twice_is_no_comparison(
    tiny_runs: dict[str, Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tiny_runs["supcon"].parent)
    assert main(["compare", str(tiny_runs["supcon"]), "simclr", "supcon"]) == 2
    assert "The run supcon was given twice" in capsys.readouterr().err


def test_only_its_own_pages_are_written_over(
    tiny_runs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [str(tiny_runs["supcon"]), str(tiny_runs["simclr"])]
    report, page = tiny_runs["supcon"] / "report.html", tmp_path / "page.html"
    before = report.read_bytes()
    assert main(["compare", *runs, "--out", str(report)]) == 2
    assert "is not a page of `supcon compare`" in capsys.readouterr().err
    assert report.read_bytes() == before
    assert main(["compare", *runs, "--out", str(page)]) == 0
    assert main(["compare", *runs, "--out", str(page)]) == 0


def test_a_folder_of_runs(tiny_runs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unfinished = tmp_path / "runs" / "unfinished"
    unfinished.mkdir(parents=True)
    (unfinished / "recipe.yaml").write_text("method: supcon\n")
    for name, path in tiny_runs.items():
        (tmp_path / "runs" / name).symlink_to(path)
    page = tmp_path / "page.html"
    assert main(["compare", str(tmp_path / "runs"), "--out", str(page)]) == 0
    captured = capsys.readouterr()
    assert captured.out.split()[:1] == ["cross-entropy"]  # the reference
    assert f"left out: {unfinished} is not finished" in " ".join(captured.err.split())
    text = page.read_text()
    for name in tiny_runs:
        assert f'title="{name}"' in text


def test_a_link_to_itself_is_no_run(
    tiny_runs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert main(["compare", str(tmp_path / "loop"), str(tiny_runs["supcon"])]) == 2
    assert f"There is no folder {tmp_path / 'loop'}" in capsys.readouterr().err

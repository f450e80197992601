"""`supcon search` as a command."""

import json
from pathlib import Path
from typing import Any

import pytest

from random_models import photo_folder, saved_run
from supcon.cli.main import main


@pytest.fixture
def run(tmp_path: Path) -> str:
    return str(saved_run(tmp_path / "run").path)


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    return photo_folder(tmp_path / "photos")


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_search_prints_lines_for_programs(run: str, photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    query = str(photos / "2.png")
    assert main(["search", run, query, "--gallery", str(photos), "--k", "2", "--json"]) == 0
    (entry,) = lines(capsys.readouterr().out)
    assert entry["query"] == query
    assert [set(found) for found in entry["found"]] == [{"path", "label", "similarity"}] * 2
    assert main(["search", run, query, "--gallery", str(photos), "--k", "2"]) == 0
    assert "similarity" in capsys.readouterr().out


def test_a_path_is_never_broken_in_a_pipe(
    run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    photos = tmp_path / "/".join(["a folder with a long name"] * 5)
    photos.parent.mkdir(parents=True)
    photo_folder(photos)
    assert main(["search", run, str(photos / "2.png"), "--gallery", str(photos), "--k", "2"]) == 0
    title, _, *found = capsys.readouterr().out.splitlines()
    assert title.strip() == str(photos / "2.png")
    assert len(found) == 2
    assert all(line.rstrip().endswith(".png") for line in found)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["search", "RUN", "x.png", "--k", "0"], "--k must be at least 1, got 0."),
    ],
)
def test_wrong_requests_are_one_sentence(
    run: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([run if argument == "RUN" else argument for argument in arguments]) == 2
    assert message in capsys.readouterr().err

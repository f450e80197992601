"""`supcon predict` as a command."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supcon
from random_models import photo_folder, pixels, random_model, saved_run
from supcon.cli.main import main


@pytest.fixture
def run(tmp_path: Path) -> str:
    return str(saved_run(tmp_path / "run").path)


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    return photo_folder(tmp_path / "photos")


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_json_lines_are_what_python_gives(run: str, photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predict", run, str(photos), "--json", "--top", "4"]) == 0
    found = lines(capsys.readouterr().out)
    model, paths = supcon.load(run), sorted(photos.iterdir())
    assert [entry["path"] for entry in found] == [str(path) for path in paths]
    assert [entry["class"] for entry in found] == model.predict(paths) == model.predict(pixels(4, 30, 20))
    for entry, chances in zip(found, model.predict_proba(pixels(4, 30, 20)), strict=True):
        np.testing.assert_allclose([entry["top"][name] for name in model.classes], chances, atol=1e-5)
        assert entry["probability"] == max(entry["top"].values())


def test_an_unreadable_image_is_an_entry_and_not_the_end(
    run: str, photos: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (photos / "1.png").write_text("no image")
    paths = [str(photos / name) for name in ("0.png", "1.png", "gone.png", "2.png")]
    assert main(["predict", run, *paths, "--json"]) == 1
    captured = capsys.readouterr()
    found = lines(captured.out)
    assert [entry.get("error") for entry in found] == [None, "not an image", "No such file or directory", None]
    assert "2 of 4 files cannot be read as images; the others are predicted." in captured.err
    assert main(["predict", run, *paths]) == 1
    table = capsys.readouterr().out
    assert table.count("cannot be read") == 2
    assert main(["predict", run, str(photos / "gone.png")]) == 1
    assert capsys.readouterr().err.endswith("supcon: The file cannot be read as an image.\n")


@pytest.mark.parametrize("arguments", [[], ["-"]])
def test_paths_come_from_standard_input(
    run: str, photos: Path, arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, f"{photos / '2.png'}\n\n{photos / '0.png'}\r\n".encode())
    assert main(["predict", run, *arguments, "--json"]) == 0
    assert [Path(entry["path"]).name for entry in lines(capsys.readouterr().out)] == ["2.png", "0.png"]


def give(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a.png\nb\0c\n", "Line 2 of standard input has a zero character and is no path; give one path per line."),
        (
            b"x" * 100_000,
            "Line 1 of standard input is longer than 65,536 bytes and is no path; give one path per line.",
        ),
    ],
    ids=["zero", "endless"],
)
def test_what_is_no_list_of_paths_is_refused(
    run: str, content: bytes, message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, content)
    assert main(["predict", run, "-"]) == 2
    assert message in capsys.readouterr().err


def test_a_closed_standard_input_is_refused(
    run: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert main(["predict", run, "-"]) == 2
    assert "Standard input is closed" in capsys.readouterr().err


def test_a_name_that_cannot_be_is_an_entry_too(
    run: str, photos: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [b"x" * 300, os.fsencode(photos / "0.png"), b"~nobodyx/y.png", b"\xff.png"]
    give(monkeypatch, b"\n".join(names))
    assert main(["predict", run, "-", "--json"]) == 1
    errors = [entry.get("error") for entry in lines(capsys.readouterr().out)]
    assert errors == ["File name too long", None, *["No such file or directory"] * 2]


def test_the_table_shows_class_and_probability(run: str, photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predict", run, str(photos / "0.png"), "--top", "2"]) == 0
    text, model = capsys.readouterr().out, supcon.load(run)
    (name,), (chances,) = model.predict(photos / "0.png"), model.predict_proba(photos / "0.png")
    assert name in text
    assert f"{100 * max(chances):.1f} %" in text


def test_a_line_of_the_table_is_never_broken_in_a_pipe(
    run: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    photos = tmp_path / "/".join(["a folder with a long name"] * 5)
    photos.parent.mkdir(parents=True)
    photo_folder(photos)
    assert main(["predict", run, str(photos)]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    assert [line[: len(f"{photos}/0.png ")] for line in lines] == [f"{path} " for path in sorted(photos.iterdir())]


def test_a_file_of_weights_alone_predicts_too(run: str, photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predict", f"{run}/model.safetensors", str(photos / "0.png"), "--json"]) == 0
    assert len(lines(capsys.readouterr().out)) == 1


def test_several_labels_are_shown_together(tmp_path: Path, photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = random_model(multi_label=True)
    model.classifier.bias.data[:] = 9
    folder = saved_run(tmp_path / "many", model).path
    assert main(["predict", str(folder), str(photos / "0.png"), "--json"]) == 0
    (entry,) = lines(capsys.readouterr().out)
    assert entry["class"] == "|".join(model.classes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["predict", "RUN", "x.png", "--top", "0"], "--top must be at least 1, got 0."),
        (["predict", "RUN", "x.png", "--prototypes", "nowhere"], "There is no folder nowhere"),
    ],
)
def test_wrong_requests_are_one_sentence(
    run: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([run if argument == "RUN" else argument for argument in arguments]) == 2
    assert message in capsys.readouterr().err


def test_predicting_one_image_imports_nothing_that_it_does_not_need(run: str, photos: Path) -> None:
    script = (
        "import sys; from supcon.cli.main import main; main(sys.argv[1:]); "
        "heavy = {'lightning', 'sklearn', 'scipy', 'plotly', 'jinja2', 'pyarrow', 'pandas', 'torchmetrics'}; "
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))) or None)"
    )
    command = [sys.executable, "-c", script, "predict", run, str(photos / "0.png")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")

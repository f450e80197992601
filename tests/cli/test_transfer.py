"""`supcon transfer`, as a command."""

import shutil
from pathlib import Path

import pytest

from supcon.cli.main import main


def test_a_linear_classifier_on_another_folder(
    tiny_runs: dict[str, Path], photos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = shutil.copytree(tiny_runs["supcon"], tmp_path / "run")
    words = ["transfer", str(run), str(photos), "--protocol", "linear", "--grid", "small", "--device", "cpu"]
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert "transferred" in printed
    assert "linear" in printed
    assert "Table 4" not in printed  # the paper has no figure for this folder


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--grid", "huge"], "--grid must be one of paper, small, got 'huge'."),
        (
            ["--steps", "9" * 25, "--grid", "small"],
            "--steps and --batch-size must be at most 1,000,000,000, got 9,999,",
        ),
        (["--micro-batch", "2"], "--micro-batch must be at least 4, got 2."),
        (["--image-size", "1"], "--image-size must be at least 4 pixels, got 1."),
        (["--steps", "0"], "--steps must be at least 1 and --batch-size at least 2, got 0 and 256."),
    ],
)
def test_wrong_options_are_refused(
    options: list[str], sentence: str, tiny_runs: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["transfer", str(tiny_runs["supcon"]), "digits", *options]) == 2
    assert sentence in capsys.readouterr().err

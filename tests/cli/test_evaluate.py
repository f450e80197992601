"""`supcon evaluate`, as a command."""

import shutil
from pathlib import Path

import pytest

from supcon.cli.main import main


def test_corruptions_are_printed_by_severity(
    tiny_runs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = shutil.copytree(tiny_runs["supcon"], tmp_path / "run")
    options = ["--on", "corruptions", "--corruptions", "brightness,contrast", "--severities", "5,1,5"]
    assert main(["evaluate", str(run), *options, "--device", "cpu"]) == 0
    printed = capsys.readouterr().out
    assert "sev. 1  sev. 5  " in printed
    assert "Brightness" in printed
    assert "mean accuracy" in printed
    assert "Clean images: accuracy" in printed


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--severities", "one"], "--severities must be comma-separated integers such as 1,3,5, got 'one'."),
        (["--bins", "many"], "--bins must be an integer, got 'many'."),
        (["--frost", "snow"], "--frost must be one of auto, photographs, own, got 'snow'."),
    ],
)
def test_wrong_options_are_refused(
    options: list[str], sentence: str, tiny_runs: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", str(tiny_runs["supcon"]), *options]) == 2
    assert sentence in capsys.readouterr().err

"""`supcon reproduce` as a person types it."""

import subprocess
import sys
from pathlib import Path

import pytest

from supcon.cli.main import main
from supcon.cli.reproduce import _without_places
from supcon.experiments import EXPERIMENTS


def test_the_list_has_every_experiment_and_does_not_wait_for_torch() -> None:
    program = (
        "import sys; from supcon.cli.main import main; main(['reproduce']); "
        "print([name for name in ('torch', 'optuna', 'scipy', 'plotly') if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    assert all(f"\n{name}  " in f"\n{done.stdout}" for name in EXPERIMENTS)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["temperatur"], "did you mean 'temperature'?"),
        (["temperature", "--scale", "small"], "--scale small needs --data"),
        (["temperature", "--seeds", "a"], "--seeds must be comma-separated integers such as 0,1,2, got 'a'"),
        (["temperature", "--workers", "0"], "--workers must be at least 1, got 0"),
        (["temperature", "--scale", "huge"], "--scale must be one of smoke, small, paper, got 'huge'"),
        (["temperature", "--cells", "tau"], "--cells tau is in no row; there are: temperature 0.02"),
        (["temperature", "--cells", "0.1,tau"], "--cells tau is in no row"),
        (["temperature", "--cells", ","], "--cells must be comma-separated parts of rows' names, got ','"),
        (["--workers", "2"], "Name an experiment, or all"),
        (["temperature", "--storage", "sqlite://"], "would be a database of each process alone; name a file."),
        (["temperature", "--data", "nowhere/cifar10"], "nowhere/cifar10"),
        (["transfer", "--transfer-to", "digits,nope"], "nope"),
        (
            ["transfer", "--transfer-to", "a/photos,b/photos"],
            "--transfer-to has several data sets called photos, whose",
        ),
        (
            ["fair-comparison-fine-tuned", "--recipe", "digits"],
            "whose rows have recipes of their own; leave out one of",
        ),
        (["temperature", "--out", "a_file"], "--out must be a folder, but a_file is a file; choose another name."),
        (["temperature", "--work", "a_file"], "--work must be a folder, but a_file is a file; choose another name."),
    ],
)
def test_a_wrong_request_is_one_sentence(
    words: list[str],
    sentence: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a_file").touch()
    assert main(["reproduce", *words]) == 2
    assert sentence in " ".join(capsys.readouterr().err.split())
    assert [path.name for path in tmp_path.iterdir()] == ["a_file"]  # nothing was begun


def test_the_printed_command_has_no_places_of_this_machine() -> None:
    words = ["queue", "--out", "x", "--workers=2", "--seeds", "0,1", "--storage", "postgresql://secret@host/db"]
    assert _without_places(words, ["queue"]) == ["--seeds", "0,1"]
    assert _without_places(["queue", "--data=/here/cifar10", "--table"], ["queue"]) == ["--data", "cifar10/"]
    kept = _without_places(["queue", "--data", "cifar10", "--device=cpu"], ["queue"])
    assert kept == ["--data", "cifar10", "--device", "cpu"]

import json
import subprocess
import sys
from pathlib import Path

import pytest

from random_models import saved_run
from supcon import __version__
from supcon.cli.main import COMMANDS, main


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"\n  {name} " in shown for name in COMMANDS)


def test_no_command_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "usage: supcon COMMAND" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"supcon {__version__}\n"


def test_help_and_version_as_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["version"]) == 0
    assert capsys.readouterr().out == f"supcon {__version__}\n"
    assert main(["help"]) == 0
    assert "usage: supcon COMMAND" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["help", "datasets"])
    assert "usage: supcon datasets" in capsys.readouterr().out
    assert main(["help", "trian"]) == 2
    assert "did you mean train?" in capsys.readouterr().err


def test_unknown_command_gets_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trian"]) == 2
    assert capsys.readouterr().err == "supcon: There is no command 'trian'; did you mean train?\n"


@pytest.mark.parametrize(
    "words", [["--help"], ["recipes"], ["recipes", "digits"], ["datasets"], ["train", "--help"], ["views", "--help"]]
)
def test_what_only_tells_does_not_import_torch(words: list[str]) -> None:
    program = (
        "import sys; from supcon.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "assert 'torch' not in sys.modules, 'torch was imported'"
    )
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_wrong_values_are_refused_before_torch_is_imported(tmp_path: Path) -> None:
    run = str(saved_run(tmp_path / "run").path)
    wrong = [
        ["embed", run, "--out", "e.csv"],
        ["embed", run, "--out", "e.npz", "--batch-size", "0"],
        ["embed", run, "--out", "/proc/e.npz"],
        ["embed", run, "cifar10", "--out", "e.npz", "--data-root", "nowhere"],
        ["evaluate", run, "--severities", "9"],
        ["evaluate", run, "--bins", "9999999"],
        ["evaluate", run, "--on", "corruptions", "--corruptions", "fogg"],
        ["evaluate", run, "--on", "corruptions", "--baseline", "nowhere"],
        ["evaluate", run, "--on", "nowhere/"],
        ["evaluate", run, "--on", "cifar10", "--data-root", "nowhere"],
        ["evaluate", run, "--k", "5", "--on", "digits"],
        ["search", run, "q.png", "--out", "page.txt"],
        ["search", run, "nowhere.png"],
        ["search", run, "class:birds"],
        ["search", run, "class:É", "--gallery", "nowhere/"],
        ["search", run, "class:É", "--out", "/proc/page.html"],
        ["predict", run, "q.png", "--prototypes", "nowhere"],
        ["predict", run, "q.png", "--prototypes", str(tmp_path / "run")],
        ["export", run, "--out", "model.bin"],
        ["export", run, "--out", "/proc/model.onnx"],
        ["export", run, "--format", "timm", "--int8"],
        ["export", run, "--check", "nowhere.onnx"],
        ["serve", run, "--gallery", "nowhere/"],
        ["transfer", run, "digits", "nowhere/"],
        ["transfer", run, "digits", "cifar10", "--data-root", "nowhere"],
        ["transfer", run, "digits", "--seed", "-1"],
        ["audit", run, "nowhere.csv"],
        ["audit", run, "--out", "/proc/audit"],
        ["audit", run, "--corrected", "/proc/clean.csv"],
        ["audit", run, "--corrected", "clean.txt"],
        ["audit", run, "--confidence", "80"],
        ["views", "--out", "views.jpg"],
        ["train", "digits", "--out", "/proc/run"],
        ["train", "fashion-mnist", "--data-root", "nowhere"],
        ["train", "--resume", "--out", str(tmp_path / "rum")],
    ]
    program = (
        "import json, sys; from supcon.cli.main import main\n"
        "codes = [main(words) for words in json.loads(sys.argv[1])]\n"
        "assert 'torch' not in sys.modules, 'torch was imported'\n"
        "assert all(codes), codes\n"
    )
    done = subprocess.run([sys.executable, "-c", program, json.dumps(wrong)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(done.stderr.splitlines()) == len(wrong), done.stderr
    assert f"There is no folder {tmp_path}/rum; did you mean {tmp_path}/run?" in done.stderr


def test_an_unforeseen_error_is_one_line_and_a_traceback_only_with_debug(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import supcon.cli.datasets

    def fail(words: list[str]) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(supcon.cli.datasets, "run", fail)
    assert main(["datasets"]) == 1
    assert capsys.readouterr().err == "supcon: ZeroDivisionError: by nothing (--debug shows the traceback).\n"
    assert main(["datasets", "--debug"]) == 1
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "advice"),
    [
        ("embed", "lower --batch-size."),
        (
            "transfer",
            "lower --micro-batch, which splits a step's batch, then --image-size or --batch-size, which change",
        ),
        ("search", "end other programs, or repeat the command where there is more."),
        ("train", "lower --batch-size, --micro-batch, --data.image_size or the width"),
    ],
)
def test_too_little_memory_names_only_options_of_the_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str, advice: str
) -> None:
    def fail(words: list[str]) -> None:
        raise RuntimeError("could not create a primitive")  # what oneDNN says

    monkeypatch.setattr(f"supcon.cli.{command}.run", fail)
    assert main([command]) == 1
    assert capsys.readouterr().err.startswith(f"supcon: There is not enough memory; {advice}")


def test_python_m_supcon_and_the_script_are_the_same() -> None:
    module = subprocess.run([sys.executable, "-m", "supcon", "datasets"], capture_output=True, text=True)
    assert module.returncode == 0
    assert "digits" in module.stdout
    wrong = subprocess.run([sys.executable, "-m", "supcon", "nothing"], capture_output=True, text=True)
    assert (wrong.returncode, wrong.stdout) == (2, "")

"""The examples run, and the site and the README show them as they are."""

import re
import runpy
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
IN_ITS_OWN_PROCESS = {"two_processes.py"}
"""Processes that are started import the main module, which is pytest's here."""
WARNINGS_OF_OTHERS = {"lightning_module.py", "hugging_face_trainer.py"}
"""Examples whose library warns of its own code."""


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(path)])
    if path.name in IN_ITS_OWN_PROCESS:
        done = subprocess.run([sys.executable, "-W", "error", str(path)], capture_output=True, text=True, timeout=280)
        assert done.returncode == 0, done.stderr
        assert done.stdout
        return
    with torch.random.fork_rng(), warnings.catch_warnings():
        if path.name in WARNINGS_OF_OTHERS:
            if path.name == "hugging_face_trainer.py":
                pytest.importorskip("transformers")
            warnings.simplefilter("ignore")
        runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


def test_the_readme_shows_the_loop_verbatim() -> None:
    assert (ROOT / "examples" / "own_training_loop.py").read_text() in (ROOT / "README.md").read_text()


def test_the_site_shows_every_example() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))
    shown = re.findall(r"^<!-- examples/(\w+\.py) -->$", text, re.MULTILINE)
    assert sorted(shown) == [path.name for path in EXAMPLES]

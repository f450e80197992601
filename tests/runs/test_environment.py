import json
import os
import platform
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import torch

import supcon
from supcon.runs import describe_environment, environment


def test_everything_is_there_and_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/usr/bin/supcon", "train", "my photos", "--epochs", "3"])
    found = describe_environment(seed=7)
    assert json.loads(json.dumps(found)) == found
    assert found["seed"] == 7
    assert found["command"] == "supcon train 'my photos' --epochs 3"
    assert found["python"] == platform.python_version()
    assert found["cores"] == os.cpu_count()
    assert len(found["accelerators"]) == torch.cuda.device_count()
    assert found["processor"]
    assert abs(datetime.now(UTC) - datetime.fromisoformat(found["started"])) < timedelta(minutes=1)


def test_versions_are_those_installed() -> None:
    packages = describe_environment(0)["packages"]
    assert packages["torch"] == version("torch")
    assert packages["supcon"] == version("supcon") == supcon.__version__
    assert {"torchvision", "timm", "lightning", "numpy", "scikit-learn"} <= set(packages)


def test_a_package_that_is_not_installed_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "_PACKAGES", ("torch", "no-such-package"))
    assert set(describe_environment(0)["packages"]) == {"torch"}


def checkout(folder: Path) -> Path:
    """A repository that holds a copy of the file that asks for the commit."""
    target = folder / "src" / "runs" / "environment.py"
    target.parent.mkdir(parents=True)
    shutil.copy(str(environment.__file__), target)
    who = ("-c", "user.name=A", "-c", "user.email=a@b.c")
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)
    return target


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = checkout(tmp_path)
    monkeypatch.setattr(environment, "__file__", str(path))
    return path


def test_the_commit_is_that_of_the_packages_own_checkout(copy: Path) -> None:
    head = subprocess.run(
        ["git", "-C", str(copy.parent), "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    )
    assert describe_environment(0)["commit"] == head.stdout.strip()
    (copy.parents[2] / "results.csv").write_text("not of the package")
    assert describe_environment(0)["commit"] == head.stdout.strip()
    copy.write_text("changed")
    assert describe_environment(0)["commit"] == head.stdout.strip() + "+changes"


def test_a_copy_installed_inside_another_repository_has_no_commit(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = copy.parent / "venv" / "environment.py"
    installed.parent.mkdir()
    shutil.copy(copy, installed)
    monkeypatch.setattr(environment, "__file__", str(installed))
    assert describe_environment(0)["commit"] is None


def test_no_git_is_no_problem(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert describe_environment(0)["commit"] is None


def test_the_processor_has_a_name_without_cpuinfo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "exists", lambda _: False)
    assert describe_environment(0)["processor"] in (platform.processor(), platform.machine())


def test_git_takes_no_lock_that_a_killed_process_would_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[list[str]] = []
    real = subprocess.run

    def run(command: list[str], **options: Any) -> Any:
        called.append(command)
        return real(command, **options)

    monkeypatch.setattr(subprocess, "run", run)
    describe_environment(0)
    assert all(command[:2] == ["git", "--no-optional-locks"] for command in called)
    assert called

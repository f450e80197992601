from pathlib import Path

import pytest

from references.empty_run import empty_finished_run
from references.refused_command import refused_command
from supcon.cli.main import main


def test_options_reach_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = []

    def push(*given: object, **options: object) -> str:
        seen.append((given, options))
        return "there"

    monkeypatch.setattr("supcon.jobs.push_run.push", push)
    monkeypatch.chdir(empty_finished_run(tmp_path / "runs" / "a").parent.parent)
    assert main(["push", "runs/a", "me/birds", "--private", "--license", "mit"]) == 0
    assert main(["push", "runs/a", "--folder", "out"]) == 0
    assert seen == [
        (("runs/a", "me/birds"), {"folder": None, "private": True, "license": "mit"}),
        (("runs/a", None), {"folder": "out", "private": None, "license": None}),
    ]
    assert capsys.readouterr().out == "pushed: there\nfolder: there\n"


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "is not a run" in refused_command(["push", str(tmp_path), "me/birds"], capsys)

import sys
from pathlib import Path
from typing import Any

import pytest

import supcon.jobs
from references.empty_run import empty_finished_run
from references.refused_command import refused_command


def test_options_reach_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: dict[str, Any] = {}

    def serve(run: str, **options: object) -> None:
        seen.update(options, run=run)
        options["started"]("http://127.0.0.1:1234")  # type: ignore[operator]

    pytest.importorskip("fastapi", reason="fastapi is not installed")
    monkeypatch.setattr("supcon.jobs.serve_run.serve", serve)
    monkeypatch.setenv("SUPCON_TOKEN", "secret")
    from supcon.cli.main import main

    monkeypatch.chdir(empty_finished_run(tmp_path / "runs" / "a").parent.parent)
    assert main(["serve", "runs/a", "--port", "0", "--no-search", "--queue", "7", "--seconds", "2.5"]) == 0
    assert (seen["run"], seen["port"], seen["host"], seen["search"]) == ("runs/a", 0, "127.0.0.1", False)
    assert seen["token"] == "secret"
    assert (seen["limits"].queue, seen["limits"].seconds) == (7, 2.5)
    assert capsys.readouterr().out.splitlines()[0] == "serving runs/a at http://127.0.0.1:1234"


def test_bad_requests_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "is not a run" in refused_command(["serve", str(tmp_path)], capsys)
    empty_finished_run(tmp_path)
    assert "--queue must be above 0, got 0." in refused_command(["serve", str(tmp_path), "--queue", "0"], capsys)
    assert "--port must be an integer, got 'http'" in refused_command(["serve", "a", "--port", "http"], capsys)


def test_without_the_packages_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith(("supcon.jobs.serve_run", "supcon.serving.server"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    monkeypatch.delattr(supcon.jobs, "serve_run", raising=False)
    empty_finished_run(tmp_path)
    assert "install them with `pip install 'supcon[serve]'`" in refused_command(["serve", str(tmp_path)], capsys)

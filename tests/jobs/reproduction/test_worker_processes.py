"""Worker processes that run a command, and their failures."""

import signal
from pathlib import Path

import pytest

from supcon.base.errors import WorkError
from supcon.jobs.reproduction import worker_processes
from supcon.jobs.reproduction.worker_processes import run_workers


def test_every_worker_runs_the_command_with_one_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(worker_processes, "_POLL", 0.05)
    run_workers(2, ["recipes"], tmp_path / "logs", lambda: "two workers")
    logs = sorted((tmp_path / "logs").iterdir())
    assert [log.name for log in logs] == ["worker1.log", "worker2.log"]
    assert all("digits" in log.read_text() for log in logs)
    assert capsys.readouterr().err.count("two workers") == 1


def test_if_all_fail_the_reason_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_processes, "_POLL", 0.05)
    with pytest.raises(WorkError, match=r"All workers failed; .*worker1\.log says why: supcon: .*recipe.*nothing"):
        run_workers(1, ["recipes", "nothing"], tmp_path, lambda: "")


def test_workers_end_with_the_command_also_in_the_background_where_sigint_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_processes, "_POLL", 0.05)

    def stop_once_it_trains() -> str:
        if (tmp_path / "run" / "recipe.yaml").exists():
            raise KeyboardInterrupt
        return "starting"

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in `supcon reproduce ... &` of a shell script
    try:
        words = ["train", "digits", "--epochs", "100000", "--out", str(tmp_path / "run")]
        with pytest.raises(KeyboardInterrupt):
            run_workers(1, words, tmp_path / "logs", stop_once_it_trains)
    finally:
        signal.signal(signal.SIGINT, before)
    assert "SIGTERM" in (tmp_path / "logs" / "worker1.log").read_text()

"""The table of a dry run."""

import pytest

from supcon.cli.printing.print_estimate import print_estimate
from supcon.stages import HardwareConfig, StageEstimate


def test_times_add_up(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    stages = [
        StageEstimate(name="stage 1", step_seconds=0.5, epoch_steps=20, epochs=100, memory=1.25),
        StageEstimate(name="stage 2", step_seconds=0.01, epoch_steps=10, epochs=5, memory=0.5),
    ]
    print_estimate(stages, HardwareConfig(device="cpu", devices=2))
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line]
    assert lines[2] == ["stage", "1", "20", "0.5", "s", "0:00:10", "100", "0:16:40", "1.25", "GB"]
    assert lines[3] == ["stage", "2", "10", "0.01", "s", "0.10", "s", "5", "0.50", "s", "0.50", "GB"]
    assert lines[4][:2] == ["Total", "0:16:40,"]
    assert "2 processes with precision 32-true" in " ".join(lines[5])


def test_headings_fit_a_terminal_of_80_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")
    stage = StageEstimate(name="stage1", step_seconds=8.25, epoch_steps=25_020, epochs=1000, memory=11.25)
    print_estimate([stage], HardwareConfig(device="cpu"))
    printed = capsys.readouterr().out
    assert "…" not in printed
    assert "2389.1 days" in printed

"""The page of a run in training."""

import re
from pathlib import Path

import pytest

from supcon.cli.main import main
from supcon.jobs import live_page
from supcon.jobs.run_pages import write_training_page
from supcon.runs import Run


def test_it_is_written_after_every_measured_epoch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, int]] = []

    def spy(run: Run, *rest: object) -> None:
        write_training_page(run, *rest)  # type: ignore[arg-type]
        text = run.report_file.read_text(encoding="utf-8")
        assert not list(run.path.glob(".report.html*"))  # it replaces the page at once
        found = re.search(r"(Stage \d)[^<]*, epoch (\d+) of \d+", text)
        assert found is not None
        curves = len(run.curves(int(found[1][-1]))["train/loss"])
        assert curves == int(found[2])  # the epoch that it tells about is in its curves
        assert "in-training" in text
        seen.append((found[1], int(found[2])))

    monkeypatch.setattr(live_page, "write_training_page", spy)
    monkeypatch.setattr(live_page, "_LARGEST_SHARE", 1e9)
    options = ("--encoder.width", "8", "--stage1.knn_every", "2", "--stage2.epochs", "2", "--device", "cpu")
    assert main(["train", "digits", "--epochs", "5", "--out", str(tmp_path / "run"), *options]) == 0
    assert seen == [("Stage 1", 2), ("Stage 1", 4), ("Stage 1", 5), ("Stage 2", 1), ("Stage 2", 2)]
    final = Run(tmp_path / "run").report_file.read_text(encoding="utf-8")
    assert 'id="in-training"' not in final
    assert 'id="confusion"' in final


def test_short_epochs_are_not_all_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []
    monkeypatch.setattr(live_page, "write_training_page", lambda run, data, state: written.append(state.epoch))
    monkeypatch.setattr(live_page, "_LARGEST_SHARE", 1e-9)
    options = ("--encoder.width", "8", "--stage1.knn_every", "1", "--stage2.epochs", "1", "--device", "cpu")
    assert main(["train", "digits", "--epochs", "4", "--out", str(tmp_path / "run"), *options]) == 0
    assert written == [1, 4, 1]  # the first and the last of stage 1, and stage 2

"""What the pages of a run are made of."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from supcon.base.errors import RequestError
from supcon.jobs.run_pages import read_results, write_comparison, write_report
from supcon.runs import Run


def test_results_are_those_of_the_runs_files(tiny_runs: dict[str, Path]) -> None:
    run = Run(tiny_runs["supcon"])
    results = read_results(run)
    assert results.measures == run.measures
    assert results.outputs.probabilities.shape == (len(results.outputs.labels), 10)
    accuracy = (results.outputs.probabilities.argmax(1) == results.outputs.labels).mean()
    assert accuracy == pytest.approx(run.measures["test/top1"])
    loss = results.curves["stage1"]["train/loss"]
    assert loss.epochs.tolist() == [1, 2]
    assert np.isfinite(loss.values).all()


def test_pages_are_written_again(tiny_runs: dict[str, Path], tmp_path: Path) -> None:
    run = Run(Path(shutil.copytree(tiny_runs["supcon"], tmp_path / "supcon")))
    for file in (run.report_file, run.report_text_file):
        file.unlink()
    write_report(run)
    assert run.report_file.read_text().startswith("<!doctype html>")
    assert run.report_text_file.read_text().startswith("# ")
    write_comparison([run, Run(tiny_runs["cross-entropy"])], tmp_path / "comparison.html")
    assert "cross-entropy" in (tmp_path / "comparison.html").read_text()


def test_damaged_outputs_are_named(tiny_runs: dict[str, Path], tmp_path: Path) -> None:
    run = Run(Path(shutil.copytree(tiny_runs["supcon"], tmp_path / "supcon")))
    run.outputs_file.write_bytes(b"not an archive")
    with pytest.raises(RequestError, match=r"test_outputs\.npz cannot be read \(.*\); train the run again"):
        read_results(run)

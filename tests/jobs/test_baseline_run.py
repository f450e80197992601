"""The cross-entropy runs that a page can show next to its own run."""

import shutil
from pathlib import Path

import pytest

from supcon.jobs.baseline_run import baseline_runs
from supcon.runs import Run


def test_a_run_on_the_same_test_images_is_found(tiny_runs: dict[str, Path], tmp_path: Path) -> None:
    run, baseline = (Run(Path(shutil.copytree(tiny_runs[n], tmp_path / n))) for n in ("supcon", "cross-entropy"))
    assert [found.path for found in baseline_runs(run)] == [baseline.path]
    assert baseline_runs(baseline) == []


def test_unfinished_runs_and_other_methods_are_not_baselines(tiny_runs: dict[str, Path], tmp_path: Path) -> None:
    for name in ("supcon", "simclr", "cross-entropy"):
        shutil.copytree(tiny_runs[name], tmp_path / name)
    Run(tmp_path / "cross-entropy").evaluation_file.unlink()
    assert baseline_runs(Run(tmp_path / "supcon")) == []


@pytest.mark.parametrize("name", ["test_outputs.npz", "recipe.yaml"])
def test_a_run_with_a_cut_file_is_left_out(
    name: str, tiny_runs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for method in ("supcon", "cross-entropy"):
        shutil.copytree(tiny_runs[method], tmp_path / method)
    shutil.copytree(tiny_runs["cross-entropy"], tmp_path / "whole")
    cut = tmp_path / "cross-entropy" / name
    cut.write_bytes(cut.read_bytes()[:-100])
    assert [found.name for found in baseline_runs(Run(tmp_path / "supcon"))] == ["whole"]
    assert f"{cut.parent} is not shown as the baseline: {cut} is damaged" in capsys.readouterr().err

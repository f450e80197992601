"""The cross-entropy run that a page shows next to its own run."""

import shutil
from pathlib import Path

from supcon.jobs.baseline_run import find_baseline_run
from supcon.runs import Run


def test_a_run_on_the_same_test_images_is_found(tiny_runs: dict[str, Path], tmp_path: Path) -> None:
    run, baseline = (Run(Path(shutil.copytree(tiny_runs[n], tmp_path / n))) for n in ("supcon", "cross-entropy"))
    found = find_baseline_run(run)
    assert found is not None
    assert found.path == baseline.path
    assert find_baseline_run(baseline) is None


def test_unfinished_runs_and_other_methods_are_not_baselines(tiny_runs: dict[str, Path], tmp_path: Path) -> None:
    for name in ("supcon", "simclr", "cross-entropy"):
        shutil.copytree(tiny_runs[name], tmp_path / name)
    Run(tmp_path / "cross-entropy").evaluation_file.unlink()
    assert find_baseline_run(Run(tmp_path / "supcon")) is None

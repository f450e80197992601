"""The printed table of corruptions."""

import json
import shutil
from pathlib import Path

import pytest

from supcon.cli.printing.print_corruptions import print_corruptions
from supcon.evaluation import mean_measures
from supcon.runs import Run


def test_rows_means_and_what_is_missing_for_the_mean_error(
    tiny_runs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    folder = Path(shutil.copytree(tiny_runs["supcon"], tmp_path / "run"))
    run = Run(folder)
    print_corruptions(run)
    assert capsys.readouterr().out == ""
    measures = json.loads((folder / "evaluation.json").read_text())
    for name, accuracy in (("fog", 0.5), ("contrast", 0.25)):
        for severity in (1, 2):
            measures[f"corruptions/{name}/{severity}/top1"] = accuracy + severity / 10
            measures[f"corruptions/{name}/{severity}/ece"] = 0.05
    measures |= mean_measures(measures)
    (folder / "evaluation.json").write_text(json.dumps(measures))
    print_corruptions(Run(folder))
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["Fog", "60.0", "70.0", "65.0", "5.0"] in lines
    assert ["mean", "accuracy", "47.5", "57.5", "52.5"] in lines
    assert ["mean", "ECE", "5.0", "5.0", "5.0"] in lines

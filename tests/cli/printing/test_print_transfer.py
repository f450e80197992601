"""The printed table of transfers."""

import json
import shutil
from pathlib import Path

import pytest

from supcon.cli.printing.print_transfer import print_transfer
from supcon.runs import Run


@pytest.mark.parametrize(("data", "published"), [("cifar10", "97.42"), ("flowers of mine", "")])
def test_the_papers_columns_are_there_for_its_data_sets(
    data: str,
    published: str,
    tiny_runs: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "250")
    folder = Path(shutil.copytree(tiny_runs["supcon"], tmp_path / "run"))
    measures = json.loads((folder / "evaluation.json").read_text())
    measures[f"transfer/{data}/fine_tune/top1"] = 0.875
    (folder / "evaluation.json").write_text(json.dumps(measures))
    print_transfer(Run(folder))
    printed = capsys.readouterr().out
    assert "87.50" in printed
    assert ("SupCon-50" in printed) == ("Table 4" in printed) == bool(published)
    assert published in printed

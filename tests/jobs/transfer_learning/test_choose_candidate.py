import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import supcon
from supcon.jobs.transfer_learning import fine_tune as fine_tune_file
from supcon.jobs.transfer_learning import transfer_run as transfer_file
from supcon.jobs.transfer_learning.config import TransferConfig
from supcon.runs import Run


@pytest.fixture
def run(tiny_runs: dict[str, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_runs["supcon"], tmp_path / "supcon"))


def test_a_killed_search_goes_on_where_it_was(run: Path, photos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained = []
    fine_tune = fine_tune_file.fine_tune

    def counted(*words: Any, **more: Any) -> Any:
        trained.append(words[5].lr)
        if len(trained) == 2:
            raise KeyboardInterrupt
        return fine_tune(*words, **more)

    monkeypatch.setattr(transfer_file, "fine_tune", counted)
    config = TransferConfig(steps=2, grid="small", batch_size=16)
    with pytest.raises(KeyboardInterrupt):
        supcon.transfer(run, [photos], config=config)
    assert not any(name.startswith("transfer/") for name in Run(run).measures)
    (file,) = (run / "transfer").glob(f"{photos.name}-*-fine-tune.json")
    assert list(json.loads(file.read_text())["validation"]) == ["lr 0.1, weight decay 0"]
    supcon.transfer(run, [photos], config=config)
    assert trained[:2] == [0.1, 0.01]
    assert trained[2:4] == [0.01, 0.001], "the first was known; then the chosen one is trained on all"
    assert len(trained) == 5
    supcon.transfer(run, [photos], config=TransferConfig(steps=1, grid="small", batch_size=16))
    assert len(trained) == 5 + 4, "other settings, another search"

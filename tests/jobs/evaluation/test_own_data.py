from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from references.refused_command import refused_command
from supcon.data.config import DataConfig
from supcon.data.image_data import Split
from supcon.data.load import load_data
from supcon.jobs.evaluation import own_data as own_data_file


def test_an_empty_test_split(
    supcon_run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def empty(*_: Any, **__: Any) -> Any:
        data = load_data(DataConfig())
        return replace(data, test=Split(images=data.test.images[:0], labels=data.test.labels[:0]))

    monkeypatch.setattr(own_data_file, "load_run_data", empty)
    assert "The test split of digits has no images" in refused_command(
        ["evaluate", str(supcon_run), "--on", "corruptions"], capsys
    )

import json
from pathlib import Path
from typing import Any

import pytest

import supcon


def test_a_second_evaluation_replaces_the_first(supcon_run: Path) -> None:
    supcon.evaluate(supcon_run, on="corruptions", corruptions="fog", severities=[1])
    run = supcon.evaluate(supcon_run, on="corruptions", corruptions="snow", severities=[2])
    singles = {name for name in run.measures if name.startswith("corruptions/") and name.count("/") == 3}
    assert singles == {"corruptions/snow/2/top1", "corruptions/snow/2/ece"}


def test_a_killed_evaluation_leaves_the_old_figures(supcon_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (supcon_run / "evaluation.json").read_text()

    def killed(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("supcon.jobs.evaluation.corrupted.measures_of_sets", killed)
    with pytest.raises(KeyboardInterrupt):
        supcon.evaluate(supcon_run, on="corruptions", corruptions="fog", severities=[1])
    assert (supcon_run / "evaluation.json").read_text() == before
    assert json.loads(before)["test/top1"] > 0

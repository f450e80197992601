from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

import supcon
from references.refused_command import refused_command
from references.untrained_run import untrained_digits
from supcon.base.errors import RequestError
from supcon.jobs import push_run
from supcon.report import Outputs, RunResults, model_card_text


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return untrained_digits(tmp_path_factory.mktemp("pushed") / "digits")


@pytest.fixture
def results(monkeypatch: pytest.MonkeyPatch) -> RunResults:
    labels = np.arange(20) % 10
    outputs = Outputs(
        labels=labels,
        probabilities=np.eye(10)[labels] * 0.9 + 0.01,
        coordinates=np.zeros((1, 2)),
        map_index=np.array([0]),
        thumbnails=np.zeros((1, 8, 8, 1), dtype=np.uint8),
        thumbnail_index=np.array([0]),
    )
    found = RunResults(
        name="digits",
        recipe={"method": "supcon", "data": {"spec": "digits"}, "encoder": {"name": "small-resnet"}},
        environment={},
        data={"name": "digits", "class_names": [str(n) for n in range(10)], "image_size": 8, "channels": 1},
        measures={"test/top1": 0.98765, "test/ece": 0.01, "seconds/stage1": 3.0},
        curves={},
        outputs=outputs,
    )
    monkeypatch.setattr(push_run, "read_results", lambda _: found)
    return found


def test_the_folder_has_a_card_with_the_figures_of_the_report(
    digits: Path, results: RunResults, tmp_path: Path
) -> None:
    place = supcon.push(digits, folder=tmp_path / "birds", license="mit")
    text = (Path(place) / "README.md").read_text()
    front = yaml.safe_load(text.split("---")[1])
    assert front["license"] == "mit"
    assert front["library_name"] == "supcon"
    accuracy = front["model-index"][0]["results"][0]["metrics"][0]
    assert accuracy == {"type": "accuracy", "name": "accuracy", "value": pytest.approx(results.measures["test/top1"])}
    assert f"{100 * results.measures['test/top1']:.2f}\N{NO-BREAK SPACE}%" in text
    assert "supcon.load('birds')" in text
    assert supcon.load(place).classes == supcon.load(digits).classes


def test_the_folders_of_this_machine_are_not_published(results: RunResults) -> None:
    recipe = {**results.recipe, "data": {"spec": "/home/me/secret"}, "encoder": {"pretrained": "/home/me/w.pth"}}
    text = model_card_text(push_run._without_paths(replace(results, recipe=recipe)), "birds")
    assert "/home/me" not in text
    assert "pretrained: w.pth" in text


def test_a_name_or_a_folder_is_needed(digits: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for given in ([], ["me/birds", "--folder", "x"]):
        assert "Give either a name on the hub" in refused_command(["push", str(digits), *given], capsys)


def test_another_folder_is_not_overwritten(digits: Path, results: RunResults, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(RequestError, match="exists and is not a folder of a model"):
        supcon.push(digits, folder=tmp_path)

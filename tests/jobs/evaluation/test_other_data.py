from pathlib import Path

import pytest
import torch
from PIL import Image

import supcon
from references.refused_command import refused_command
from supcon.cli.main import main
from supcon.data.config import DataConfig
from supcon.data.load import load_data
from supcon.evaluation import top_k_accuracy
from supcon.runs import Run


def scores(run: Path, images: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(supcon.load(run).predict_proba(images))


def test_other_data_with_some_of_the_classes(
    supcon_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = load_data(DataConfig()).test
    chosen = [index for index in range(len(data)) if int(data.labels[index]) in (3, 7)]
    for index in chosen:
        folder = tmp_path / "new" / str(int(data.labels[index]))
        folder.mkdir(parents=True, exist_ok=True)
        Image.fromarray(data.images[index, 0].numpy()).save(folder / f"{index}.png")
    assert main(["evaluate", str(supcon_run), "--on", str(tmp_path / "new")]) == 0
    run = Run(supcon_run)
    expected = top_k_accuracy(scores(supcon_run, data.images[chosen]), data.labels[chosen])
    assert run.measures["on/new/top1"] == pytest.approx(expected)
    assert {"on/new/scaled_ece", "on/new/top1_low", "on/new/brier"} <= set(run.measures)
    assert "On new: accuracy" in capsys.readouterr().out


def test_data_of_one_name_have_results_each(supcon_run: Path, tmp_path: Path) -> None:
    test = load_data(DataConfig()).test
    for index in range(80):
        folder = tmp_path / ("first" if index < 40 else "second") / "new" / str(int(test.labels[index]))
        folder.mkdir(parents=True, exist_ok=True)
        Image.fromarray(test.images[index, 0].numpy()).save(folder / f"{index}.png")
    first = supcon.evaluate(supcon_run, on=tmp_path / "first" / "new").measures
    both = supcon.evaluate(supcon_run, on=tmp_path / "second" / "new").measures
    assert both["on/new/top1"] == first["on/new/top1"], "it was replaced"
    assert "on/new (second)/top1" in both
    assert "On new (second): accuracy" in (supcon_run / "report.md").read_text()
    again = supcon.evaluate(supcon_run, on=tmp_path / "second" / "new").measures
    assert again.keys() == both.keys()


def test_images_of_unknown_classes(supcon_run: Path, photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "has the class 'dark', which is not one of the run's 10 classes" in refused_command(
        ["evaluate", str(supcon_run), "--on", str(photos)], capsys
    )

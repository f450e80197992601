import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import supcon
from supcon.cli.main import main
from supcon.jobs.transfer_learning import fine_tune as fine_tune_file
from supcon.jobs.transfer_learning import transfer_run as transfer_file
from supcon.jobs.transfer_learning.config import TransferConfig
from supcon.report.tables.published_transfer import ROWS, TABLE_4
from supcon.report.tables.transfer_table import transfer_rows
from supcon.runs import Run

QUICK = ["--steps", "4", "--grid", "small", "--batch-size", "16"]


@pytest.fixture
def run(tiny_runs: dict[str, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_runs["supcon"], tmp_path / "supcon"))


def test_both_protocols_on_a_folder(run: Path, photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Grey digits of 8 pixels were learned; coloured images of 20 and more come."""
    before = Run(run).measures
    assert main(["transfer", str(run), str(photos), "--protocol", "both", *QUICK]) == 0
    measures, remarks = Run(run).measures, Run(run).remarks
    assert {name: measures[name] for name in before} == before
    for protocol in ("fine_tune", "linear"):
        family = f"transfer/{photos.name}/{protocol}"
        assert measures[f"{family}/top1_low"] <= measures[f"{family}/top1"] <= measures[f"{family}/top1_high"]
        assert "chosen: " in remarks[f"{family}/protocol"]
    assert measures[f"transfer/{photos.name}/linear/top1"] == 1.0, "dark and light are told apart by any encoder"
    shown = capsys.readouterr().out
    assert "fine-tuned" in shown
    assert "4 steps of 16, 3 candidates on validation images" in shown
    assert "On other data sets" in (run / "report.html").read_text()
    assert "## On other data sets" in (run / "report.md").read_text()


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
    file = run / "transfer" / f"{photos.name}-fine-tune.json"
    assert list(json.loads(file.read_text())["validation"]) == ["lr 0.1, weight decay 0"]
    supcon.transfer(run, [photos], config=config)
    assert trained[:2] == [0.1, 0.01]
    assert trained[2:4] == [0.01, 0.001], "the first was known; then the chosen one is trained on all"
    assert len(trained) == 5
    supcon.transfer(run, [photos], config=TransferConfig(steps=1, grid="small", batch_size=16))
    assert len(trained) == 5 + 4, "other settings, another search"


def test_the_chosen_one_is_trained_on_validation_images_too(
    run: Path, photos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = []
    fine_tune = fine_tune_file.fine_tune

    def seen(*words: Any, **more: Any) -> Any:
        sizes.append(len(words[2]))
        return fine_tune(*words, **more)

    monkeypatch.setattr(transfer_file, "fine_tune", seen)
    supcon.transfer(run, [photos], config=TransferConfig(steps=1, grid="small", batch_size=8))
    train, *others, last = sizes
    assert others == [train, train]
    assert last > train


def test_the_papers_figures_stand_beside_ours() -> None:
    measures = {
        "transfer/cifar10/fine_tune/top1": 0.9,
        "transfer/cifar10/linear/top1": 0.8,
        "transfer/mine/fine_tune/top1": 0.7,
    }
    tuned, linear, mine, mean = transfer_rows(measures, {})
    assert dict(zip(ROWS, tuned.published, strict=True))["SupCon-50"] == "97.42\xa0%"
    assert not any(linear.published), "the table is of fine-tuning"
    assert not any(mine.published)
    assert len(TABLE_4) == 12
    assert (mean.data, mean.value) == ("mean over 2 sets", "80.00\xa0%")
    assert not any(mean.published), "the paper has no figure for one of them"


def test_the_mean_over_the_sets_is_shown_as_in_table_4() -> None:
    """Over the sets of one protocol, whatever their metrics; beside it the paper's over the same sets."""
    metrics = dict.fromkeys(TABLE_4, "top1") | {"voc2007": "map_11_point", "oxford-pets": "mean_per_class"}
    measures = {f"transfer/{name}/fine_tune/{metric}": TABLE_4[name][0] / 100 for name, metric in metrics.items()}
    two = dict(list(measures.items())[:2])
    *_, mean = transfer_rows(two, {})
    assert mean.published[0] == f"{(87.23 + 97.42) / 2:.2f}\xa0%"
    assert mean.remark == "food101, cifar10"
    *_, mean = transfer_rows(measures, {})
    assert mean.data == "mean over 12 sets"
    assert mean.published == ("84.85\xa0%", "85.07\xa0%", "85.52\xa0%", "86.32\xa0%", "86.37\xa0%")
    assert mean.value.startswith("84.8")
    assert "the paper prints 84.27, 84.67, 84.81, 85.67, 85.77" in mean.remark
    assert len(transfer_rows(dict(list(measures.items())[:1]), {})) == 1, "no mean of one set"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--steps", "0"], "--steps must be at least 1"),
        (["--grid", "tiny"], "--grid must be one of paper, small, got 'tiny'"),
        (["--smallest-crop", "0"], "--smallest-crop must be above 0 and at most 1, got 0.0"),
        (["--flip-probability", "2"], "--flip-probability must be between 0 and 1, got 2.0"),
    ],
)
def test_bad_requests(
    run: Path, photos: Path, words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["transfer", str(run), str(photos), *QUICK, *words]) == 2
    assert sentence in capsys.readouterr().err


def test_no_such_data(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["transfer", str(run), "nowhere", *QUICK]) == 2
    assert "nowhere" in capsys.readouterr().err


def test_several_labels_an_image_have_their_own_metric(run: Path, tmp_path: Path) -> None:
    """VOC2007's kind: bright images are light, contrasty ones are noisy, some are both."""
    random = np.random.default_rng(0)
    lines = ["path,label"]
    for index in range(60):
        light, noisy = bool(index % 2), index % 3 > 0
        pixels = random.normal(190 if light else 60, 40 if noisy else 2, size=(8, 8)).clip(0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(tmp_path / f"{index}.png")
        labels = [name for name, there in (("light", light), ("noisy", noisy)) if there] or ["plain"]
        lines.append(f"{index}.png,{'|'.join(labels)}")
    manifest = tmp_path / "labels.csv"
    manifest.write_text("\n".join(lines) + "\n")
    measured = supcon.transfer(
        run, [manifest], protocols=["linear", "fine-tune"], config=TransferConfig(steps=3, grid="small", batch_size=8)
    ).measures
    found = {name: value for name, value in measured.items() if name.startswith("transfer/")}
    assert {name.rpartition("/")[2] for name in found} == {"map_11_point"}
    assert len(found) == 2
    assert all(0 <= value <= 1 for value in found.values())

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import supcon
from references.random_states import random_states_stay
from supcon.cli.main import main
from supcon.jobs.transfer_learning import fine_tune as fine_tune_file
from supcon.jobs.transfer_learning import transfer_run as transfer_file
from supcon.jobs.transfer_learning.config import TransferConfig
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
    assert "Transfer to other data sets" in (run / "report.html").read_text()
    assert "## Transfer to other data sets" in (run / "report.md").read_text()


def test_another_image_size_and_parts_of_a_batch(run: Path, photos: Path) -> None:
    more = ["--image-size", "12", "--micro-batch", "8"]
    assert main(["transfer", str(run), str(photos), *QUICK, *more]) == 0
    remark = Run(run).remarks[f"transfer/{photos.name}/fine_tune/protocol"]
    assert remark.startswith("4 steps of 16 (8 at a time), 3 candidates on validation images, images of 12 pixels; ")


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


def test_stored_validation_scores_are_those_of_the_same_encoder(
    run: Path, tiny_runs: dict[str, Path], photos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained = []
    fine_tune = fine_tune_file.fine_tune

    def counted(*words: Any, **more: Any) -> Any:
        trained.append(words)
        return fine_tune(*words, **more)

    monkeypatch.setattr(transfer_file, "fine_tune", counted)
    config = TransferConfig(steps=1, grid="small", batch_size=8)
    for expected in (3 + 1, 1):  # the candidates and the final training; then the final training alone
        trained.clear()
        supcon.transfer(run, [photos], config=config)
        assert len(trained) == expected
    for name in ("model.safetensors", "model.json"):  # as after a training of more epochs
        shutil.copy(tiny_runs["simclr"] / name, run / name)
    trained.clear()
    supcon.transfer(run, [photos], config=config)
    assert len(trained) == 3 + 1


def test_other_images_of_the_same_name_and_number_have_a_search_of_their_own(
    run: Path, photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained = []
    fine_tune = fine_tune_file.fine_tune

    def counted(*words: Any, **more: Any) -> Any:
        trained.append(words)
        return fine_tune(*words, **more)

    monkeypatch.setattr(transfer_file, "fine_tune", counted)
    config = TransferConfig(steps=1, grid="small", batch_size=8)
    other = Path(shutil.copytree(photos, tmp_path / "elsewhere" / photos.name))
    for data, expected in ((photos, 3 + 1), (other, 3 + 1), (other, 1)):
        trained.clear()
        supcon.transfer(run, [data], config=config)
        assert len(trained) == expected


def test_data_of_one_name_have_a_row_each(run: Path, photos: Path, tmp_path: Path) -> None:
    first, second = (Path(shutil.copytree(photos, tmp_path / folder / "photos")) for folder in ("summer", "winter"))
    for file in (second / "dark").iterdir():  # another task: of a class hardly an image is left
        if file.name != "0.png" and int(file.stem) > 8:
            file.unlink()
    measures = supcon.transfer(run, [first, second], protocols=["linear"]).measures
    rows = [name for name in measures if name.startswith("transfer/") and name.endswith("/top1")]
    assert rows == ["transfer/photos (summer)/linear/top1", "transfer/photos (winter)/linear/top1"]
    assert len(list((run / "transfer").iterdir())) == 2
    again = supcon.transfer(run, [second], protocols=["linear"]).measures
    assert again.keys() == measures.keys(), "the row of the same folder is replaced, and no other"
    third = supcon.transfer(run, [shutil.copytree(photos, tmp_path / "photos")], protocols=["linear"]).measures
    assert [name for name in third if name not in measures and name.endswith("/top1")] == [
        "transfer/photos/linear/top1"
    ]


def test_data_that_come_later_do_not_take_the_row_of_their_name(run: Path, photos: Path, tmp_path: Path) -> None:
    supcon.transfer(run, [photos], protocols=["linear"])
    other = shutil.copytree(photos, tmp_path / "elsewhere" / photos.name)
    measures = supcon.transfer(run, [other], protocols=["linear"]).measures
    rows = [name for name in measures if name.startswith("transfer/") and name.endswith("/top1")]
    assert rows == [f"transfer/{photos.name}/linear/top1", f"transfer/{photos.name} (elsewhere)/linear/top1"]
    report = (run / "report.md").read_text()
    assert f"| {photos.name} (elsewhere) |" in report
    assert f"| {photos.name} |" in report


def test_the_random_numbers_of_the_caller_stay(run: Path, photos: Path) -> None:
    with random_states_stay():
        supcon.transfer(run, [photos], config=TransferConfig(steps=1, grid="small", batch_size=8))


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

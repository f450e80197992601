"""`supcon train` as a person uses it: what it makes, what it says to bad input, how it goes on after a kill."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from PIL import Image
from safetensors.torch import load_file

import supcon
from references.tiny_run import tiny_images, train_words
from supcon.cli import train as train_command
from supcon.cli.main import main
from supcon.jobs.run_data import load_run_data
from supcon.recipes import find_recipe
from supcon.recipes.change import flat_values
from supcon.recipes.convert import recipe_to_values
from supcon.runs import Run
from supcon.stages.stage2 import train_classifier

FILES = {
    "recipe.yaml",
    "splits.csv",
    "environment.json",
    "evaluation.json",
    "model.safetensors",
    "model.json",
    "report.html",
    "report.md",
    "test_outputs.npz",
    "stage1",
    "stage2",
}
FAST = ["--encoder.width", "8", "--stage1.knn_every", "0", "--device", "cpu", "--stage2.epochs", "1"]


def refused(capsys: pytest.CaptureFixture[str], words: list[str], code: int = 2) -> str:
    """Runs a command that must fail and gives the one sentence it says."""
    assert main(words) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    sentences = [line for line in captured.err.splitlines() if line.startswith("supcon: ")]
    assert len(sentences) == 1
    assert "Traceback" not in captured.err
    return sentences[0].removeprefix("supcon: ")


def test_a_run_has_the_files_of_the_contract(tiny_runs: dict[str, Path]) -> None:
    assert {path.name for path in tiny_runs["supcon"].iterdir()} == FILES
    assert {path.name for path in tiny_runs["cross-entropy"].iterdir()} == FILES - {"stage2"}
    for stage in ("stage1", "stage2"):
        names = {path.name for path in (tiny_runs["supcon"] / stage).iterdir()}
        shown = {"views.npz", "pairs_start.npz", "pairs_end.npz"} if stage == "stage1" else set()
        assert names == {"metrics.csv", "checkpoints"} | shown


@pytest.mark.parametrize("method", ["supcon", "simclr", "cross-entropy"])
def test_the_evaluation_has_every_promised_measure(tiny_runs: dict[str, Path], method: str) -> None:
    measures = Run(tiny_runs[method]).measures
    for name in ("top1", "top5", "nll", "ece", "knn_top1"):
        assert np.isfinite(measures[f"test/{name}"])
    assert measures["test/top1"] <= measures["test/top5"] <= 1
    assert measures["seconds/stage1"] > 0
    assert (measures["seconds/stage2"] > 0) == (method != "cross-entropy")
    weights = load_file(tiny_runs[method] / "model.safetensors")
    counted = sum(
        tensor.numel()
        for name, tensor in weights.items()
        if name.startswith("encoder.network") and "running" not in name and "num_batches" not in name
    )
    assert measures["parameters/encoder"] == counted


def test_knn_is_measured_while_stage_1_trains(tiny_runs: dict[str, Path]) -> None:
    curve = Run(tiny_runs["supcon"]).curves(1)["validation/knn_top1"]
    assert [epoch for epoch, _ in curve] == [1, 2]


def test_the_recipe_of_a_run_is_a_config_that_makes_the_same_run(tiny_runs: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "again"
    assert main(["train", "--config", str(tiny_runs["simclr"] / "recipe.yaml"), "--out", str(out)]) == 0
    assert Run(out).recipe == Run(tiny_runs["simclr"]).recipe
    first, second = (load_file(path / "model.safetensors") for path in (tiny_runs["simclr"], out))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_another_seed_makes_another_model(tiny_runs: dict[str, Path], tmp_path: Path) -> None:
    config = str(tiny_runs["cross-entropy"] / "recipe.yaml")
    assert main(["train", "--config", config, "--seed", "1", "--out", str(tmp_path / "other")]) == 0
    first, second = (load_file(p / "model.safetensors") for p in (tiny_runs["cross-entropy"], tmp_path / "other"))
    assert not torch.equal(first["classifier.weight"], second["classifier.weight"])


def test_options_reach_the_recipe(tmp_path: Path) -> None:
    config = tmp_path / "mine.yaml"
    config.write_text("stage1:\n  epochs: 2\n  optimizer:\n    lr: 0.3\nseed: 4\n")
    words = ["train", "--config", str(config), "--epochs", "1", "--batch-size", "100", "--loss.temperature", "0.2"]
    assert main([*words, "--out", str(tmp_path / "run"), *FAST]) == 0
    recipe = Run(tmp_path / "run").recipe
    assert recipe["stage1"]["epochs"] == 1
    assert recipe["stage1"]["optimizer"]["lr"] == 0.3
    assert recipe["stage1"]["batch_size"] == recipe["stage2"]["batch_size"] == 100
    assert (recipe["seed"], recipe["loss"]["temperature"], recipe["recipe"]) == (4, 0.2, "digits")


def test_a_folder_of_images_becomes_a_model(photos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["train", str(photos), "--encoder.name", "small-resnet", "--epochs", "2", "--batch-size", "16"]
    assert main([*words, "--out", str(tmp_path / "run"), *FAST]) == 0
    assert "Test accuracy" in capsys.readouterr().out
    assert yaml.safe_load((tmp_path / "run" / "model.json").read_text())["class_names"] == ["dark", "light & bright"]
    assert "light &amp; bright" in (tmp_path / "run" / "report.html").read_text()


@pytest.mark.parametrize("method", ["supcon", "simclr", "cross-entropy"])
@pytest.mark.parametrize("mix", ["mixup", "cutmix"])
def test_images_can_be_mixed_in_stage_1(method: str, mix: str, tmp_path: Path) -> None:
    words = train_words(tiny_images(tmp_path / "images"), tmp_path / "run")
    assert main([*words, "--method", method, "--mix.method", mix, "--epochs", "1"]) == 0
    [(_, loss)] = Run(tmp_path / "run").curves(1)["train/loss"]
    assert np.isfinite(loss)


@pytest.mark.parametrize("method", ["supcon-in", "n-pairs", "triplet", "large-margin", "joint"])
def test_every_other_method_trains(method: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--method", method, "--epochs", "1", "--out", str(tmp_path / "run"), *FAST]) == 0
    assert "Test accuracy" in capsys.readouterr().out
    run = Run(tmp_path / "run")
    assert np.isfinite(run.measures["test/top1"])
    assert run.stage(2).exists() == (method not in ("large-margin", "joint"))
    assert run.recipe["recipe"] == f"digits-{method}"


def test_the_second_stage_of_cross_entropy_has_a_new_last_layer_on_the_encoder_of_one_stage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began: list[torch.Tensor] = []

    def spy(encoder: torch.nn.Module, classifier: torch.nn.Linear, *rest: Any, **options: Any) -> None:
        began.extend([classifier.weight.detach().clone(), classifier.bias.detach().clone()])
        train_classifier(encoder, classifier, *rest, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("supcon.jobs.both_stages.train_classifier", spy)
    words = ["train", "--method", "cross-entropy-two-stage", "--epochs", "1", "--stage2.cached", "true", *FAST]
    assert main([*words, "--out", str(tmp_path / "run")]) == 0
    last = torch.load(tmp_path / "run" / "stage1" / "checkpoints" / "last.ckpt", weights_only=True)["state_dict"]
    weight, bias = began
    assert (bias == 0).all()
    assert weight.abs().max() <= (6 / sum(weight.shape)) ** 0.5, "as Glorot draws them"
    assert not torch.allclose(weight, last["classifier.weight"], atol=0.01)
    assert last["classifier.bias"].abs().sum() > 0
    trained = load_file(tmp_path / "run" / "model.safetensors")
    assert all(
        torch.equal(trained[f"encoder.{name}"], last[f"encoder.{name}"]) for name in ("mean", "network.stem.0.weight")
    )
    words[2] = "cross-entropy"
    assert main([*words[:5], *FAST, "--out", str(tmp_path / "one-stage")]) == 0
    one_stage = load_file(tmp_path / "one-stage" / "model.safetensors")
    encoder = [name for name in one_stage if name.startswith("encoder.")]
    assert all(torch.equal(one_stage[name], trained[name]) for name in encoder)
    assert not torch.equal(one_stage["classifier.weight"], trained["classifier.weight"])


def test_views_can_be_made_image_by_image_in_workers(photos: Path, tmp_path: Path) -> None:
    words = ["train", str(photos), "--encoder.name", "small-resnet", "--epochs", "2", "--batch-size", "16", *FAST]
    for name in ("first", "second"):
        assert main([*words, "--views.engine", "per-image", "--out", str(tmp_path / name)]) == 0
    first, second = (load_file(tmp_path / name / "model.safetensors") for name in ("first", "second"))
    assert all(torch.equal(first[name], second[name]) for name in first), "workers do not make it random"


SMALL = ["--encoder.name", "small-resnet", "--epochs", "1", "--batch-size", "8", *FAST]


def test_a_manifest_becomes_a_model_and_its_splits_stay(photos: Path, tmp_path: Path) -> None:
    table = tmp_path / "birds.csv"
    rows = [f"{path},{path.parent.name}" for path in sorted(photos.rglob("*.png"))]
    table.write_text("\n".join(["path,label", *rows, f"{rows[0].split(',')[0]},"]) + "\n")
    run = Run(tmp_path / "run")
    more = ["--stage1.sampler", "class-balanced", "--data.outside", "true"]
    assert main(["train", str(table), "--out", str(run.path), *SMALL, *more]) == 0
    kept = run.splits_file.read_text()
    assert kept.count("\n") == 50
    # A run that goes on asks its own table, not the seed and what is there now.
    lines = kept.splitlines()
    swapped = [lines[0], *[line.replace(",test", ",other") for line in lines[1:]]]
    swapped = [line.replace(",validation", ",test").replace(",other", ",validation") for line in swapped]
    run.splits_file.write_text("\n".join(swapped) + "\n")
    data = load_run_data(run)
    assert data.counts == {"train": 34, "validation": 10, "test": 4, "unlabelled": 1}


def test_arrays_become_a_model_and_the_run_goes_on_without_them(tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (60, 12, 12), dtype=np.uint8)
    options = {"encoder.name": "small-resnet", "encoder.width": 8, "stage2.epochs": 1, "stage1.knn_every": 0}
    run = supcon.train(
        (pixels, ["cat", "dog"] * 30), epochs=1, batch_size=16, device="cpu", out=tmp_path / "run", options=options
    )
    assert run.recipe["data"]["spec"].startswith("arrays:")
    before = load_file(run.model_file)
    run.evaluation_file.unlink()
    assert main(["train", "--resume", "--out", str(run.path)]) == 0
    after = load_file(run.model_file)
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_bad_images_are_left_out_and_counted(photos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "photos"
    shutil.copytree(photos, root)
    (root / "dark" / "3.png").write_text("no image")
    words = ["train", str(root), "--out", str(tmp_path / "run"), *SMALL]
    assert "1 of 48 files cannot be read as images" in refused(capsys, words)
    assert main([*words, "--skip-bad-images"]) == 0
    assert Run(tmp_path / "run").measures["images/left_out"] == 1
    assert "Unreadable images left out" in (tmp_path / "run" / "report.html").read_text()
    assert Run(tmp_path / "run").recipe["data"]["skip_bad_images"] is True


def test_positives_are_counted_before_stage_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--stage1.sampler", "m-per-class", "--stage1.images_per_class", "8", "--stage1.epochs", "1", *FAST]
    assert main(["train", "--batch-size", "64", "--out", str(tmp_path / "run"), *words]) == 0
    # Eight images of each of eight classes: seven others, two views of each, and the anchor's own other view.
    assert "An anchor has 15.0 positives on average; 0.0% of the anchors" in capsys.readouterr().err


# What a person may get wrong.


def test_no_such_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    said = refused(capsys, ["train", str(tmp_path / "nowhere"), "--out", str(tmp_path / "run")])
    assert said == (
        f"There is no folder and no data set called '{tmp_path / 'nowhere'}'; `supcon datasets` lists the named sets."
    )
    assert not (tmp_path / "run").exists()
    assert "did you mean 'digits'?" in refused(capsys, ["train", "digit"])


def image(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (8, 8), (len(path.name) * 20 % 255, 0, 0)).save(path)


@pytest.fixture
def two_classes(tmp_path: Path) -> Path:
    for name in ("a", "b"):
        for index in range(12):
            image(tmp_path / "photos" / name / f"{index}.png")
    return tmp_path / "photos"


def refused_folder(capsys: pytest.CaptureFixture[str], folder: Path) -> str:
    out = folder.parent / "run"
    said = refused(capsys, ["train", str(folder), "--batch-size", "4", "--out", str(out)])
    assert not out.exists(), "a refused request leaves nothing behind"
    return said


def test_one_class_only(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    image(tmp_path / "photos" / "only" / "1.png")
    assert "has 1 class folder(s), but at least two are needed" in refused_folder(capsys, tmp_path / "photos")


def test_an_empty_class(capsys: pytest.CaptureFixture[str], two_classes: Path) -> None:
    (two_classes / "c").mkdir()
    assert f"The class folder {two_classes / 'c'} is empty" in refused_folder(capsys, two_classes)


def test_a_file_that_is_no_image(capsys: pytest.CaptureFixture[str], two_classes: Path) -> None:
    (two_classes / "a" / "notes.txt").write_text("remember the milk")
    said = refused_folder(capsys, two_classes)
    assert "1 of " in said
    assert str(two_classes / "a" / "notes.txt") in said


def test_an_image_cut_off_in_the_middle(capsys: pytest.CaptureFixture[str], two_classes: Path) -> None:
    whole = two_classes / "a" / "whole.jpg"
    Image.effect_noise((64, 64), 90).save(whole)
    whole.write_bytes(whole.read_bytes()[:900])
    assert f"{whole} (" in refused_folder(capsys, two_classes)


def test_a_batch_larger_than_the_training_set(capsys: pytest.CaptureFixture[str], two_classes: Path) -> None:
    said = refused(capsys, ["train", str(two_classes), "--batch-size", "256", "--out", str(two_classes.parent / "run")])
    assert said.startswith("The batch size 256 is larger than the training set of ")
    assert not (two_classes.parent / "run").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--recipe", "digit"], "There is no recipe called 'digit'; did you mean 'digits'?"),
        (["--method", "supconn"], "joint, got 'supconn'; did you mean supcon?"),
        (["--epoch", "3"], "There is no option --epoch; did you mean --epochs?"),
        (["--stage1.learning_rate", "3"], "There is no option --stage1.learning_rate; "),
        (["--lr", "3"], "There is no option --lr; did you mean --stage1.optimizer.lr?"),
        (["--loss.temperature", "0"], "temperature must be "),
        (["--epochs", "many"], "--epochs must be an integer, got 'many'."),
        (["--epochs", "0"], "stage1.epochs must be at least 1, got 0."),
        (["--seed", "-1"], "The seed must be 0 or more and below 2**32, got -1."),
        (["--views.crop_area", "[2,3]"], "crop_area must be two numbers"),
        (["--config", "/no/such.yaml"], "/no/such.yaml is missing; give a YAML file of values with --config"),
        (["digits", "extra"], "Unrecognized arguments: extra"),
    ],
)
def test_wrong_values(capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str], sentence: str) -> None:
    assert sentence in refused(capsys, ["train", *words, "--out", str(tmp_path / "run")])
    assert not (tmp_path / "run").exists()


def test_an_existing_run_is_never_overwritten(tiny_runs: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    before = (tiny_runs["supcon"] / "report.html").stat().st_mtime_ns
    said = refused(capsys, ["train", "--out", str(tiny_runs["supcon"])])
    assert "already exists" in said
    assert "--resume" in said
    assert "--out" in said
    assert (tiny_runs["supcon"] / "report.html").stat().st_mtime_ns == before


def test_resume_refuses_another_recipe(tiny_runs: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, ["train", "--resume", "--batch-size", "7", "--out", str(tiny_runs["supcon"])])
    assert "in which stage1.batch_size is 128, but 7 was given" in said


def test_resume_of_a_finished_run_shows_it_again(
    tiny_runs: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    run = Run(tiny_runs["supcon"])
    before = run.report_file.stat().st_mtime_ns
    assert main(["train", "--resume", "--out", str(run.path)]) == 0
    captured = capsys.readouterr()
    assert "Test accuracy" in captured.out
    assert f"The run {run.path} is finished already" in captured.err
    assert run.report_file.stat().st_mtime_ns == before


def test_resume_of_a_finished_run_writes_a_report_that_is_missing(tiny_runs: dict[str, Path], tmp_path: Path) -> None:
    run = Run(Path(shutil.copytree(tiny_runs["supcon"], tmp_path / "run")))
    run.report_text_file.unlink()
    assert main(["train", "--resume", "--out", str(run.path)]) == 0
    assert run.report_text_file.exists()


def test_resume_of_nothing_is_refused_without_data(
    tiny_runs: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    run = tiny_runs["supcon"]
    wrong = run.with_name(f"{run.name}x")
    said = refused(capsys, ["train", "--resume", "--out", str(wrong), *FAST])
    assert said == f"There is no folder {wrong}; did you mean {run}?"
    assert not wrong.exists()


def test_resume_starts_a_run_on_data_that_is_given(tmp_path: Path) -> None:
    words = ["train", "digits", "--resume", "--epochs", "1", "--out", str(tmp_path / "run"), *FAST]
    assert main([*words, "--dry-run"]) == 0
    assert not (tmp_path / "run").exists()


def test_a_training_that_failed_is_not_advised_to_go_on(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["train", "digits", "--epochs", "1", "--stage1.optimizer.lr", "1e30", "--out", str(tmp_path / "run")]
    said = refused(capsys, [*words, *FAST], code=1)
    assert "start another run" in said
    assert refused(capsys, ["report", str(tmp_path / "run")]) == f"The run {tmp_path}/run failed: {said}"


def test_a_short_option_for_both_stages_is_no_mistake_where_there_is_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["train", "digits", "--method", "cross-entropy", "--batch-size", "32", "--epochs", "1", "--dry-run"]
    assert main([*words, "--device", "cpu", "--out", str(tmp_path / "run")]) == 0
    assert "no effect" not in capsys.readouterr().err


def test_short_options_count_where_values_are_checked_against_each_other() -> None:
    words = ["--stage1.sampler", "m-per-class", "--stage1.images_per_class", "7", "--batch-size", "28"]
    recipe = train_command._recipe(train_command._parser(), words, find_recipe("digits"))
    assert (recipe.stage1.batch_size, recipe.stage2.batch_size) == (28, 28)


def test_an_unfinished_run_says_how_to_go_on(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "recipe.yaml").write_text("method: supcon\n")
    assert refused(capsys, ["report", str(tmp_path)]) == (
        f"The run {tmp_path} is not finished; continue it with `supcon train --resume --out {tmp_path}`."
    )


def test_two_processes_make_one_run(tmp_path: Path) -> None:
    tiny = ["--encoder.width", "8", "--stage2.epochs", "1", "--epochs", "1", "--device", "cpu"]
    command = [sys.executable, "-m", "supcon", "train", "--devices", "2", "--out", "run", *tiny]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("report: ") == 1
    assert done.stderr.count("test images of 10 classes") == 1
    assert done.stderr.count("evaluation: 1797/1797") == 1
    assert list(Run(tmp_path / "run").curves(1)["validation/knn_top1"])
    assert Run(tmp_path / "run").recipe["hardware"]["devices"] == 2


@pytest.mark.parametrize(
    ("words", "place", "value"),
    [
        (["--micro-batch", "8"], "stage1.micro_batch", 8),
        (["--devices", "4"], "hardware.devices", 4),
        (["--num-nodes", "2"], "hardware.num_nodes", 2),
        (["--compile"], "hardware.compile", True),
        (["--logger", "wandb"], "hardware.logger", "wandb"),
    ],
)
def test_short_options_stand_for_long_ones(words: list[str], place: str, value: object) -> None:
    base = find_recipe("digits")
    recipe = train_command._recipe(train_command._parser(), words, base)
    assert flat_values(recipe_to_values(recipe))[place] == value

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file, save_file

import supcon
from supcon.cli.main import main
from supcon.data.config import DataConfig
from supcon.data.image_data import ImageData, Split
from supcon.data.load import load_data
from supcon.evaluation import ALEXNET, corrupt, expected_calibration_error, top_k_accuracy
from supcon.evaluation.corruptions.frost.ice_photographs import photographs_folder
from supcon.jobs.evaluation import own_data as own_data_file
from supcon.jobs.evaluation.corrupted import made_set
from supcon.jobs.evaluation.corruption_baseline import corruption_errors, find_baseline
from supcon.runs import Run


def digits() -> ImageData:
    return load_data(DataConfig())


def scores(run: Path, images: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(supcon.load(run).predict_proba(images))


def corrupted_arrays(root: Path, labels: np.ndarray, name: str = "fog") -> Path:
    """A set like CIFAR-10-C of the digits' test images, severity 5 being white."""
    test = digits().test.images[:].numpy().transpose(0, 2, 3, 1)[: len(labels)]
    root.mkdir()
    np.save(root / f"{name}.npy", np.concatenate([test] * 4 + [np.full_like(test, 255)]))
    np.save(root / "labels.npy", np.tile(labels, 5))
    return root


def test_the_standard_evaluation_again_gives_the_same_and_keeps_the_costs(supcon_run: Path) -> None:
    before = Run(supcon_run).measures
    run = supcon.evaluate(supcon_run)
    assert run.measures == pytest.approx(before)
    assert "seconds/stage1" in run.measures


def test_other_bins_and_neighbours(supcon_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", str(supcon_run), "--bins", "3", "--k", "5", "--knn-temperature", "0.07"]) == 0
    run = Run(supcon_run)
    data = digits().test
    expected = expected_calibration_error(scores(supcon_run, data.images[:]).double(), data.labels, bins=3)
    assert run.measures["test/ece"] == pytest.approx(expected, abs=1e-5)
    assert "test/knn5_t0.07_top1" in run.measures
    assert run.remarks == {"test/bins": "3"}
    assert "Reliability diagram with 3 bins" in run.report_file.read_text()
    assert "k = 5, temperature 0.07" in capsys.readouterr().out


def test_corruptions_are_added_to_what_is_there(supcon_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = Run(supcon_run).measures
    words = ["--on", "corruptions", "--corruptions", "fog,brightness", "--severities", "1,5"]
    assert main(["evaluate", str(supcon_run), *words]) == 0
    run, data = Run(supcon_run), load_data(DataConfig()).test
    assert {name: run.measures[name] for name in before} == before
    probabilities = scores(supcon_run, corrupt(data.images[:], "fog", 5))
    assert run.measures["corruptions/fog/5/top1"] == pytest.approx(top_k_accuracy(probabilities, data.labels))
    ece = expected_calibration_error(probabilities.double(), data.labels)
    assert run.measures["corruptions/fog/5/ece"] == pytest.approx(ece, abs=1e-5)
    assert len([name for name in run.measures if name.startswith("corruptions/")]) == 2 * 2 * 2 + 2 * 3
    shown, said = capsys.readouterr()
    assert "Brightness" in shown
    assert "360 test images of digits, corrupted on the fly with seed 0; severities 1, 5" in shown
    assert "give a run with --baseline" in said
    assert "Under corruptions" in run.report_file.read_text()
    assert "## Under corruptions" in run.report_text_file.read_text()


def test_results_say_which_ice_frost_has(supcon_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--on", "corruptions", "--corruptions", "frost,fog", "--severities", "3", "--frost", "own"]
    assert main(["evaluate", str(supcon_run), *words]) == 0
    run, ours = Run(supcon_run), "a texture of supcon's own"
    assert run.remarks["corruptions/frost"] == ours
    assert run.remarks["corruptions/set"].endswith(f"severities 3; frost: {ours}")
    assert f"frost: {ours}" in capsys.readouterr().out
    assert f"frost: {ours}" in run.report_text_file.read_text()
    assert "frost: a texture of supcon" in run.report_file.read_text()
    data = load_data(DataConfig()).test
    frosted = scores(supcon_run, corrupt(data.images[:], "frost", 3, texture="own"))
    assert run.measures["corruptions/frost/3/top1"] == pytest.approx(top_k_accuracy(frosted, data.labels))
    if photographs_folder() is not None:
        run = supcon.evaluate(supcon_run, on="corruptions", corruptions="frost", severities=[3])
        assert run.remarks["corruptions/frost"].startswith("photographs of imagecorruptions ")
    assert "corruptions/frost" not in supcon.evaluate(supcon_run, on="corruptions", corruptions="fog").remarks


def test_a_second_evaluation_replaces_the_first(supcon_run: Path) -> None:
    supcon.evaluate(supcon_run, on="corruptions", corruptions="fog", severities=[1])
    run = supcon.evaluate(supcon_run, on="corruptions", corruptions="snow", severities=[2])
    singles = {name for name in run.measures if name.startswith("corruptions/") and name.count("/") == 3}
    assert singles == {"corruptions/snow/2/top1", "corruptions/snow/2/ece"}


def test_a_baseline_is_the_unit_and_is_named(
    supcon_run: Path, baseline_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--on", "corruptions", "--severities", "5", "--baseline", str(baseline_run)]
    assert main(["evaluate", str(supcon_run), *words]) == 0
    ours, theirs = Run(supcon_run), Run(baseline_run)
    assert ours.remarks["corruptions/baseline"] == str(baseline_run)
    assert "corruptions/fog/5/top1" in theirs.measures, "the baseline was measured too, and knows it"
    ratios = []
    for name in ALEXNET.errors:
        errors = [1 - run.measures[f"corruptions/{name}/5/top1"] for run in (ours, theirs)]
        ratios.append(errors[0] / errors[1])
        assert ours.measures[f"corruptions/{name}/ce"] == pytest.approx(ratios[-1])
    assert ours.measures["corruptions/mce"] == pytest.approx(np.mean(ratios))
    assert f"relative to the errors of {baseline_run}" in capsys.readouterr().out
    assert str(baseline_run) in ours.report_file.read_text()


def test_a_baseline_that_was_measured_is_not_measured_again(supcon_run: Path, baseline_run: Path) -> None:
    supcon.evaluate(baseline_run, on="corruptions", corruptions="fog", severities=[3])
    model = supcon.load(supcon_run)
    data = made_set(load_data(DataConfig()), ["fog"], [3], seed=0)

    def never(run: Run) -> None:
        raise AssertionError(f"{run} was measured again")

    found = find_baseline(Run(supcon_run), baseline_run, model.card, data, never)
    assert found is not None
    assert found.errors["fog"] == pytest.approx(1 - Run(baseline_run).measures["corruptions/fog/3/top1"])
    other_seed = made_set(load_data(DataConfig()), ["fog"], [3], seed=1)
    with pytest.raises(AssertionError, match="measured again"):
        find_baseline(Run(supcon_run), baseline_run, model.card, other_seed, never)


def test_alexnet_is_the_unit_for_imagenet_alone(supcon_run: Path) -> None:
    card, data = supcon.load(supcon_run).card, made_set(load_data(DataConfig()), ["fog"], [1, 2, 3, 4, 5], seed=0)
    imagenet = replace(card, class_names=[f"n{number:08d}" for number in range(1000)])

    def never(run: Run) -> None:
        raise AssertionError

    assert find_baseline(Run(supcon_run), None, card, data, never) is None
    assert find_baseline(Run(supcon_run), None, imagenet, data, never) is ALEXNET
    few = made_set(load_data(DataConfig()), ["fog"], [1], seed=0)
    assert find_baseline(Run(supcon_run), None, imagenet, few, never) is None, "its errors are means of all severities"


def test_a_baseline_that_loses_nothing_has_no_relative_error(capsys: pytest.CaptureFixture[str]) -> None:
    measures = {f"corruptions/{name}/1/top1": 0.5 for name in ALEXNET.errors}
    unit = replace(ALEXNET, clean=1.0)
    found = dict(corruption_errors(measures, 0.1, unit))
    assert "corruptions/mce" in found
    assert "corruptions/relative_mce" not in found
    assert "loses nothing to the corruption" in capsys.readouterr().err


def test_published_arrays_are_read_as_they_are(supcon_run: Path, tmp_path: Path) -> None:
    labels = load_data(DataConfig()).test.labels[:40]
    root = corrupted_arrays(tmp_path / "digits-c", labels.numpy())
    run = supcon.evaluate(supcon_run, on=root)
    clean = top_k_accuracy(scores(supcon_run, load_data(DataConfig()).test.images[:40]), labels)
    assert [run.measures[f"corruptions/fog/{severity}/top1"] for severity in range(1, 5)] == pytest.approx([clean] * 4)
    assert run.remarks["corruptions/set"].startswith(f"published set {root}")
    white = top_k_accuracy(scores(supcon_run, torch.full((40, 1, 8, 8), 255, dtype=torch.uint8)), labels)
    assert run.measures["corruptions/fog/5/top1"] == pytest.approx(white)


def test_published_folders_are_read_as_they_are(supcon_run: Path, tmp_path: Path) -> None:
    data = load_data(DataConfig()).test
    for index in range(20):
        folder = tmp_path / "c" / "blur" / "defocus_blur" / "2" / str(int(data.labels[index]))
        folder.mkdir(parents=True, exist_ok=True)
        Image.fromarray(data.images[index, 0].numpy()).save(folder / f"{index}.png")
    run = supcon.evaluate(supcon_run, on=tmp_path / "c", severities=[2])
    expected = top_k_accuracy(scores(supcon_run, data.images[:20]), data.labels[:20])
    assert run.measures["corruptions/defocus_blur/2/top1"] == pytest.approx(expected)


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


def refusal(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["evaluate", *arguments]) == 2
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert said.startswith("supcon: ")
    return said


def test_a_run_without_a_classifier(supcon_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    weights = load_file(supcon_run / "model.safetensors")
    encoder = {name: value for name, value in weights.items() if not name.startswith("classifier.")}
    save_file(encoder, supcon_run / "model.safetensors")
    assert f"The run {supcon_run} has no classifier, only an encoder" in refusal([str(supcon_run)], capsys)


def test_an_empty_test_split(
    supcon_run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def empty(*_: Any, **__: Any) -> Any:
        data = load_data(DataConfig())
        return replace(data, test=Split(images=data.test.images[:0], labels=data.test.labels[:0]))

    monkeypatch.setattr(own_data_file, "load_run_data", empty)
    assert "The test split of digits has no images" in refusal([str(supcon_run), "--on", "corruptions"], capsys)


def test_a_baseline_with_another_data_set(
    supcon_run: Path, baseline_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with np.load(baseline_run / "test_outputs.npz") as stored:
        arrays = dict(stored)
    np.savez(baseline_run / "test_outputs.npz", **{**arrays, "fingerprint": np.array("other images")})
    words = [str(supcon_run), "--on", "corruptions", "--baseline", str(baseline_run)]
    said = refusal(words, capsys)
    assert f"The baseline {baseline_run} was tested on 360 images of 'digits'" in said
    assert "which are different images" in said


@pytest.mark.parametrize("classes", ["too many", "unknown folder"])
def test_a_corrupted_set_of_other_classes(
    supcon_run: Path, tmp_path: Path, classes: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if classes == "too many":
        root = corrupted_arrays(tmp_path / "c", np.arange(12))
        assert "has the class 11 and the run knows 10 classes" in refusal([str(supcon_run), "--on", str(root)], capsys)
        return
    (tmp_path / "c" / "fog" / "1" / "lion").mkdir(parents=True)
    said = refusal([str(supcon_run), "--on", str(tmp_path / "c")], capsys)
    assert "has the class 'lion', which the run does not know" in said


def test_an_array_of_the_wrong_shape(supcon_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = corrupted_arrays(tmp_path / "c", np.arange(10))
    np.save(root / "fog.npy", np.zeros((50, 8, 8), dtype=np.uint8))
    assert "got uint8 of shape [50, 8, 8]" in refusal([str(supcon_run), "--on", str(root)], capsys)


def test_images_of_unknown_classes(supcon_run: Path, photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "has the class 'dark', which the run does not know" in refusal(
        [str(supcon_run), "--on", str(photos)], capsys
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--severities", "1,6"], "--severities must be between 1 and 5, got [1, 6]"),
        (["--severities", "one"], "--severities must be comma-separated integers such as 1,3,5, got 'one'"),
        (["--bins", "0"], "--bins must be at least 1, got 0"),
        (["--k", "0"], "--k must be at least 1"),
        (["--on", "corruptions", "--corruptions", "rain"], "There is no corruption 'rain'"),
        (["--on", "corruptions", "--corruptions", ","], "--corruptions is empty"),
        (["--baseline", "x"], "--baseline is for corruption errors only"),
        (["--on", "nowhere"], "nowhere"),
    ],
)
def test_bad_requests(supcon_run: Path, words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert sentence in refusal([str(supcon_run), *words], capsys)


def test_a_killed_evaluation_leaves_the_old_figures(supcon_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (supcon_run / "evaluation.json").read_text()

    def killed(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("supcon.jobs.evaluation.corrupted.measures_of_sets", killed)
    with pytest.raises(KeyboardInterrupt):
        supcon.evaluate(supcon_run, on="corruptions", corruptions="fog", severities=[1])
    assert (supcon_run / "evaluation.json").read_text() == before
    assert json.loads(before)["test/top1"] > 0

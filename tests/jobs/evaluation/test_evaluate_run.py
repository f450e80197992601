import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

import supcon
from references.refused_command import refused_command
from supcon.cli.main import main
from supcon.data.config import DataConfig
from supcon.data.image_data import ImageData
from supcon.data.load import load_data
from supcon.evaluation import corrupt, expected_calibration_error, top_k_accuracy
from supcon.evaluation.corruptions.frost.ice_photographs import photographs_folder
from supcon.runs import Run


def digits() -> ImageData:
    return load_data(DataConfig())


def scores(run: Path, images: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(supcon.load(run).predict_proba(images))


def test_the_standard_evaluation_again_gives_the_same_and_keeps_the_costs(supcon_run: Path) -> None:
    before = Run(supcon_run).measures
    run = supcon.evaluate(supcon_run)
    assert run.measures == pytest.approx(before)
    assert "seconds/stage1" in run.measures


def test_other_bins_and_neighbours(
    supcon_run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")  # a slow machine's long times would wrap the names of the metrics
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
    assert "<h2>Corruptions</h2>" in run.report_file.read_text()
    assert "## Corruptions" in run.report_text_file.read_text()


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


def test_a_run_without_a_classifier(supcon_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    weights = load_file(supcon_run / "model.safetensors")
    encoder = {name: value for name, value in weights.items() if not name.startswith("classifier.")}
    save_file(encoder, supcon_run / "model.safetensors")
    card = json.loads((supcon_run / "model.json").read_text())
    (supcon_run / "model.json").write_text(json.dumps({**card, "weights_digest": None}))  # as older versions wrote it
    assert f"{supcon_run} has an encoder but no classifier" in refused_command(["evaluate", str(supcon_run)], capsys)


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
        (["--corruptions", "fog"], "--corruptions is for corrupted images only; add --on corruptions, or --on with a"),
        (["--severities", "1,2"], "--severities is for corrupted images only"),
        (["--seed", "1"], "--seed is for corruptions that supcon computes only"),
        (["--frost", "own"], "--frost is for corruptions that supcon computes only"),
        (["--on", "digits", "--k", "5"], "--k is for the run's own test images only; leave out either it or --on."),
        (["--on", "corruptions", "--knn-temperature", "0.07"], "--knn-temperature is for the run's own test images"),
        (["--on", "nowhere"], "nowhere"),
    ],
)
def test_bad_requests(supcon_run: Path, words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert sentence in refused_command(["evaluate", str(supcon_run), *words], capsys)

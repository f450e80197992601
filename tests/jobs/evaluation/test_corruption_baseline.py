from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import supcon
from references.refused_command import refused_command
from supcon.cli.main import main
from supcon.data.config import DataConfig
from supcon.data.load import load_data
from supcon.evaluation import ALEXNET
from supcon.jobs.evaluation.corrupted import made_set
from supcon.jobs.evaluation.corruption_baseline import corruption_errors, find_baseline
from supcon.runs import Run


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

    found = find_baseline(Run(baseline_run), model.card, data, never)
    assert found is not None
    assert found.errors["fog"] == pytest.approx(1 - Run(baseline_run).measures["corruptions/fog/3/top1"])
    other_seed = made_set(load_data(DataConfig()), ["fog"], [3], seed=1)
    with pytest.raises(AssertionError, match="measured again"):
        find_baseline(Run(baseline_run), model.card, other_seed, never)


def test_alexnet_is_the_unit_for_imagenet_alone(supcon_run: Path) -> None:
    card, data = supcon.load(supcon_run).card, made_set(load_data(DataConfig()), ["fog"], [1, 2, 3, 4, 5], seed=0)
    imagenet = replace(card, class_names=[f"n{number:08d}" for number in range(1000)])

    def never(run: Run) -> None:
        raise AssertionError

    assert find_baseline(None, card, data, never) is None
    assert find_baseline(None, imagenet, data, never) is ALEXNET
    few = made_set(load_data(DataConfig()), ["fog"], [1], seed=0)
    assert find_baseline(None, imagenet, few, never) is None, "its errors are means of all severities"


def test_a_baseline_that_loses_nothing_has_no_relative_error(capsys: pytest.CaptureFixture[str]) -> None:
    measures = {f"corruptions/{name}/1/top1": 0.5 for name in ALEXNET.errors}
    unit = replace(ALEXNET, clean=1.0)
    found = dict(corruption_errors(measures, 0.1, unit))
    assert "corruptions/mce" in found
    assert "corruptions/relative_mce" not in found
    assert "loses no accuracy to the corruption" in capsys.readouterr().err


def test_a_baseline_with_another_data_set(
    supcon_run: Path, baseline_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with np.load(baseline_run / "test_outputs.npz") as stored:
        arrays = dict(stored)
    np.savez(baseline_run / "test_outputs.npz", **{**arrays, "fingerprint": np.array("other images")})
    words = ["evaluate", str(supcon_run), "--on", "corruptions", "--baseline", str(baseline_run)]
    said = refused_command(words, capsys)
    assert f"The baseline {baseline_run} was tested on 360 images of 'digits'" in said
    assert "which are different images" in said

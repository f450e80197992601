import math
from collections.abc import Callable
from dataclasses import replace

from supcon.report import RunResults
from supcon.report.pages.cards import headline


def values(run: RunResults) -> dict[str, str]:
    return {card.title: card.value for card in headline(run)}


def meanings(run: RunResults) -> dict[str, str]:
    return {card.title: card.meaning for card in headline(run)}


def test_values_are_those_of_the_evaluation(digits_run: RunResults) -> None:
    measures = digits_run.measures
    shown = values(digits_run)
    assert shown["Test accuracy"] == f"{100 * measures['test/top1']:.2f}\xa0%"
    assert shown["Top-5 accuracy"] == f"{100 * measures['test/top5']:.2f}\xa0%"
    assert shown["k-NN accuracy"] == "98.61\xa0%"
    assert shown["Calibration error"] == f"{100 * measures['test/ece']:.2f}\xa0%"
    assert shown["Negative log-likelihood"] == f"{measures['test/nll']:.4f}"
    assert shown["Training time"] == "1 min 16 s"
    right = int(digits_run.outputs.correct.sum())
    assert meanings(digits_run)["Test accuracy"].startswith(f"{right} of 360 test images are correct. 95\xa0% interval")
    assert (
        meanings(digits_run)["Training time"]
        == "Stage 1: 1 min 11 s, stage 2: 4.9 s. The encoder has 694,016 parameters."
    )
    assert meanings(digits_run)["Negative log-likelihood"].endswith(
        "uniform predictions for 10 classes would have 2.303."
    )


def test_weakest_class_is_named(digits_run: RunResults) -> None:
    outputs = digits_run.outputs
    accuracy = {c: outputs.correct[outputs.labels == c].mean() for c in range(10)}
    worst = min(accuracy, key=lambda c: accuracy[c])
    assert values(digits_run)["Weakest class"] == f"{100 * accuracy[worst]:.1f}\xa0%"
    assert meanings(digits_run)["Weakest class"].startswith(f"“{worst}”: ")


def test_no_card_without_a_measure(digits_run: RunResults) -> None:
    assert list(values(replace(digits_run, measures={}))) == ["Weakest class"]
    assert "Training time" not in values(replace(digits_run, measures={"seconds/stage1": math.nan}))


def test_one_stage_has_one_time(baseline_run: RunResults) -> None:
    assert meanings(baseline_run)["Training time"].startswith("Training only, without evaluation.")


def test_nan_is_said_to_be_none(digits_run: RunResults) -> None:
    run = replace(digits_run, measures={**digits_run.measures, "test/ece": math.nan, "test/nll": math.inf})
    assert values(run)["Calibration error"] == "not available"
    assert meanings(run)["Calibration error"] == "The evaluation gave NaN."
    assert values(run)["Negative log-likelihood"] == "∞"


def test_top_five_of_five_says_nothing(make_run: Callable[..., RunResults]) -> None:
    assert "Top-5 accuracy" not in values(make_run(5))
    assert "Top-5 accuracy" in values(make_run(6))


def test_without_mistakes_there_is_no_weakest_class(make_run: Callable[..., RunResults]) -> None:
    run = make_run(3)
    perfect = replace(run, outputs=replace(run.outputs, labels=run.outputs.predicted), measures={"test/top1": 1.0})
    assert list(values(perfect)) == ["Test accuracy"]
    assert "400 of 400" in meanings(perfect)["Test accuracy"]
    assert "99.1\xa0% to 100.0\xa0%" in meanings(perfect)["Test accuracy"], "no mistake in 400 images is no certainty"

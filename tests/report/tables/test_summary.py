from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from supcon.report import RunResults
from supcon.report.tables.summary import stage_title, summary


def test_two_stages_in_words(digits_run: RunResults) -> None:
    assert summary(digits_run) == (
        "The encoder (small-resnet) was trained on 1,293 training images of “digits” with supervised contrastive "
        "learning for 60 epochs, in batches of 256 images with 2 random views of each. "
        "Then a linear classifier was trained on the frozen encoder for 30 epochs. "
        "All results are of the last epoch, on 360 test images (10 classes) that were not used in training."
    )


def test_one_stage_has_no_second(baseline_run: RunResults) -> None:
    with_unused_stage = replace(baseline_run, recipe={**baseline_run.recipe, "stage2": {"epochs": 30}})
    for run in (baseline_run, with_unused_stage):
        assert "with cross-entropy for 60 epochs" in summary(run)
        assert "linear classifier" not in summary(run)
        assert stage_title(run, "stage1") == "Training, encoder and classifier together"


@pytest.mark.parametrize(
    ("stage2", "said", "title"),
    [
        (
            {"cached": True},
            "on the frozen encoder from representations computed once for 30 epochs.",
            "on the frozen encoder",
        ),
        (
            {"encoder_lr": 0.1},
            "Then a linear classifier and the encoder were trained together for 30 epochs.",
            "fine-tuning",
        ),
    ],
)
def test_other_kinds_of_stage_2_are_named(
    digits_run: RunResults, stage2: dict[str, Any], said: str, title: str
) -> None:
    run = replace(digits_run, recipe={**digits_run.recipe, "stage2": {"epochs": 30, **stage2}})
    assert said in summary(run)
    assert stage_title(run, "stage2").endswith(title)


def test_simclr_says_that_it_does_not_use_labels(digits_run: RunResults) -> None:
    text = summary(replace(digits_run, recipe={**digits_run.recipe, "method": "simclr"}))
    assert "(SimCLR), which does not use the labels, for 60 epochs" in text


def test_a_recipe_that_says_next_to_nothing(make_run: Callable[..., RunResults]) -> None:
    run = replace(make_run(2), recipe={"method": "something-new"}, data={"class_names": ["a", "b"]})
    assert summary(run).startswith(
        "The encoder was trained on all training images of “unnamed data” with something-new. All"
    )
    assert stage_title(run, "stage1") == "Stage 1: the encoder"
    assert stage_title(run, "stage3") == "stage3"

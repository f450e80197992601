from dataclasses import replace

from supcon.report import Outputs, RunResults, TrainingState, build_training_page

STATE = TrainingState(stage=1, epoch=7, epochs=60, seconds_left=83.0, written="2026-11-17T12:34:56+00:00", pause=8.4)


def test_what_it_says(digits_run: RunResults) -> None:
    html = build_training_page(replace(digits_run, outputs=Outputs.none(10)), STATE)
    assert "Stage 1: the encoder, epoch 7 of 60; about 1 min 23 s left in this stage." in html
    assert "is being trained on 1,293 training images" in html
    assert 'data-every="8" data-written="2026-11-17T12:34:56+00:00"' in html
    last = digits_run.curves["stage1"]["validation/knn_top1"].values[-1]
    assert f"{100 * last:.1f}\xa0%" in html
    assert "test images are correct" not in html


def test_the_browser_waits_neither_too_short_nor_too_long() -> None:
    assert replace(STATE, pause=0.0).reload_seconds == 3
    assert replace(STATE, pause=5000.0).reload_seconds == 60


def test_a_run_before_its_first_values(digits_run: RunResults) -> None:
    bare = replace(digits_run, outputs=Outputs.none(10), curves={"stage1": {}}, views=None, pairs={})
    assert "<h1>digits-supcon</h1>" in build_training_page(bare, STATE)

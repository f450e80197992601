"""Sec. 4.1: cross-entropy with a larger batch or more epochs."""

from supcon.experiments import EXPERIMENTS, SCALES


def test_batch_and_epochs_are_multiples_of_the_recipes() -> None:
    scale = SCALES["small"]
    stage = scale.base("cross-entropy").stage1
    rows = {row.name: row.changes for row in EXPERIMENTS["cross-entropy-budget"].settings(scale)}
    assert rows["Cross-entropy, twice the batch"] == {
        "stage1.batch_size": 2 * stage.batch_size,
        "stage1.optimizer.lr": 2 * stage.optimizer.lr,
    }
    assert rows["Cross-entropy, 4 times the epochs"] == {"stage1.epochs": 4 * stage.epochs}
    assert rows["Cross-entropy, one view an image"] == {"views.count": 1}


def test_what_the_paper_does_not_claim_is_tested_besides() -> None:
    experiment, scale = EXPERIMENTS["cross-entropy-budget"], SCALES["small"]
    claim, besides = ([part.second[0] for part in find(scale)] for find in (experiment.comparisons, experiment.besides))
    assert claim == ["Cross-entropy, twice the batch", "Cross-entropy, 4 times the epochs"]
    assert besides == [
        *("Cross-entropy", "Cross-entropy, one view an image"),
        "Cross-entropy, one view, twice the epochs",
    ]


def test_the_paper_trains_seven_times_as_long() -> None:
    """1400 epochs instead of 200: 77.0 %."""
    rows = {row.name: row for row in EXPERIMENTS["cross-entropy-budget"].settings(SCALES["paper"])}
    longest = rows["Cross-entropy, 7 times the epochs"]
    assert (longest.changes, longest.published) == ({"stage1.epochs": 1400}, {"test/top1": 0.770})

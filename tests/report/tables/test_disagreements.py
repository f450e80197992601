import numpy as np

from supcon.report import RunResults
from supcon.report.tables.disagreements import SHOWN, disagreements
from supcon.report.tables.pooling import RunGroup


def test_images_that_only_one_run_gets_right(digits_run: RunResults, baseline_run: RunResults) -> None:
    groups = [RunGroup(title=run.name, runs=(run,)) for run in (digits_run, baseline_run)]
    ours, theirs = digits_run.outputs, baseline_run.outputs
    first, second = disagreements(*groups)
    for only, winner, loser in ((first, ours, theirs), (second, theirs, ours)):
        images = np.flatnonzero(winner.correct & ~loser.correct)
        assert only.total == len(images)
        assert [item.image for item in only.shown] == sorted(
            images.tolist(), key=lambda image: -loser.confidence[image]
        )[:SHOWN]
        for item in only.shown:
            assert item.label == winner.labels[item.image] == winner.predicted[item.image]
            assert item.wrong == loser.predicted[item.image] != item.label
    assert (first.winner, first.loser) == ("digits-supcon", "digits-cross-entropy")
    assert first.total > 0

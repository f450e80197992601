"""Results of images with several labels, by class and by the surest errors."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from supcon.report import RunResults
from supcon.report.tables.label_results import label_errors, label_results


@pytest.fixture
def results(make_run: Callable[..., RunResults]) -> RunResults:
    run = make_run(classes=2, images=50)
    labels = np.array([[1, 0], [0, 1], [-1, 1], [1, 1]])
    probabilities = np.array([[0.1, 0.4], [0.2, 0.9], [1.0, 0.2], [0.9, 0.8]])
    names = run.class_names
    return replace(
        run,
        outputs=replace(
            run.outputs,
            labels=labels,
            probabilities=probabilities,
            coordinates=np.zeros((4, 2)),
            map_index=np.arange(4),
            thumbnails=run.outputs.thumbnails[:4],
            thumbnail_index=np.arange(4),
        ),
        measures={f"test/class/{names[0]}/ap": 0.75},
    )


def test_the_farthest_label_of_an_image_comes_first_and_unscored_ones_do_not_count(results: RunResults) -> None:
    errors = label_errors(results)
    assert [(one.image, one.label, one.there) for one in errors] == [(0, 0, True), (2, 1, True)]
    assert [one.probability for one in errors] == [0.1, 0.2]


def test_every_class_has_its_images_and_precision(results: RunResults) -> None:
    first, second = label_results(results)
    assert (first.images, first.precision) == (2, 0.75)
    assert second.images == 3
    assert math.isnan(second.precision)

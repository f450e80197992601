from collections.abc import Callable
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest
from sklearn.neighbors import NearestNeighbors

from supcon.report import RunResults
from supcon.report.plots.representation_map import map_in_words, map_plot, map_table, neighbour_agreement


@pytest.mark.parametrize("images", [2, 30, 700])
def test_nearest_image_equals_sklearn(make_run: Callable[..., RunResults], images: int) -> None:
    outputs = replace(
        make_run(4, images=700).outputs,
        map_index=np.arange(700)[::-1][:images],
        coordinates=np.random.default_rng(0).normal(size=(images, 2)),
    )
    nearest = NearestNeighbors(n_neighbors=1).fit(outputs.coordinates).kneighbors(return_distance=False)[:, 0]
    labels = outputs.labels[outputs.map_index]
    np.testing.assert_array_equal(neighbour_agreement(outputs), labels[nearest] == labels)


def test_points_tell_about_their_own_image(make_run: Callable[..., RunResults]) -> None:
    run = make_run(3)
    run = replace(run, outputs=replace(run.outputs, map_index=np.arange(300)[::-1] + 40))
    outputs, figure = run.outputs, map_plot(run).figure
    for point, image in enumerate(outputs.map_index.tolist()):
        assert figure["data"][0]["marker"]["color"][point] == f"var(--class-{outputs.labels[image]})"
        assert (figure["data"][0]["marker"]["line"]["color"][point] == "var(--ink)") == (not outputs.correct[image])
    go.Figure(figure)


def test_table_and_words_agree(digits_run: RunResults) -> None:
    rows = map_table(digits_run)
    assert [name for name, _, _ in rows] == digits_run.class_names
    assert sum(images for _, images, _ in rows) == 360
    mean = sum(images * share for _, images, share in rows) / 360
    assert map_in_words(digits_run.outputs).startswith(f"For {100 * mean:.1f}\xa0% of the 360 images")


def test_too_few_images_for_a_map(make_run: Callable[..., RunResults]) -> None:
    outputs = replace(make_run(3).outputs, map_index=np.zeros(0, int), coordinates=np.zeros((0, 2)))
    assert map_in_words(outputs) == "There are too few images for a map."
    assert map_table(replace(make_run(3), outputs=outputs)) == []

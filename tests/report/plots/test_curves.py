import math
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
import torch

from supcon.losses import SupConLoss
from supcon.report import Curve
from supcon.report.plots.curves import Series, collapse_loss, curve_plot, stage_plots


def recipe(**loss: Any) -> dict[str, Any]:
    return {"method": "supcon", "views": {"count": 2}, "stage1": {"batch_size": 8}, "loss": {"temperature": 0.1} | loss}


def curve(*values: float) -> Curve:
    return Curve(epochs=np.arange(1, len(values) + 1), values=np.array(values))


@pytest.mark.parametrize("rescale", ["none", "temperature", 0.07])
@pytest.mark.parametrize("summation", ["out", "in"])
def test_the_line_is_the_loss_of_equal_embeddings(rescale: Any, summation: Any) -> None:
    loss = SupConLoss(temperature=0.1, rescale=rescale, summation=summation)
    collapsed = loss(torch.ones(8, 2, 4), torch.arange(8) % 3)
    assert collapse_loss(recipe(rescale=rescale)) == pytest.approx(float(collapsed), rel=1e-5)


def test_the_rows_of_a_queue_count() -> None:
    assert collapse_loss(recipe(queue_size=100)) == pytest.approx(math.log(115))
    assert collapse_loss(recipe() | {"method": "joint"}) == pytest.approx(math.log(15))


@pytest.mark.parametrize(
    "changed",
    [
        recipe() | {"method": "cross-entropy"},
        recipe() | {"method": "triplet"},
        recipe() | {"stage1": {}},
        recipe() | {"views": {}},
        recipe(denominator="negatives"),
        recipe(max_positives=3),
        {},
    ],
)
def test_no_line_where_the_value_would_be_another(changed: dict[str, Any]) -> None:
    assert collapse_loss(changed) is None


def test_a_recipe_without_a_loss_section_is_not_rescaled() -> None:
    assert collapse_loss({k: v for k, v in recipe().items() if k != "loss"}) == pytest.approx(math.log(15))


def test_loss_then_accuracy_then_the_rest() -> None:
    curves = {
        "lr": curve(0.1),
        "validation/knn_top1": curve(0.5, 0.6),
        "train/loss": curve(5, 4),
        "train/top1": curve(0.4, 0.7),
    }
    loss, accuracy, rate = stage_plots(curves, collapse=6.25)
    assert [plot.title for plot in (loss, accuracy, rate)] == ["Loss", "Accuracy", "Learning rate"]
    assert [trace["name"] for trace in accuracy.figure["data"]] == ["validation, k-NN", "train, top-1"]
    assert accuracy.figure["data"][0]["y"] == [50.0, 60.0]
    assert loss.figure["data"][-1]["y"] == [6.25, 6.25]
    assert loss.alt == "Loss over epochs. train: from 5 at epoch 1 to 4 at epoch 2."
    assert "collapsed" not in str(accuracy.figure)


def test_held_out_images_stand_out() -> None:
    curves = {"train/top1": curve(0.1), "validation/top1": curve(0.2), "validation/knn_top1": curve(0.3)}
    both, alone = stage_plots(curves)[0], stage_plots({"train/loss": curve(1)})[0]
    assert [trace["line"]["dash"] for trace in both.figure["data"]] == ["dot", "solid", "dash"]
    assert both.figure["data"][0]["line"]["color"] != both.figure["data"][1]["line"]["color"]
    assert alone.figure["data"][0]["line"] == both.figure["data"][1]["line"]


def test_missing_values_are_gaps() -> None:
    (plot,) = stage_plots({"train/loss": curve(3, math.nan, 1), "validation/loss": curve(math.nan)})
    assert plot.figure["data"][0]["y"] == [3.0, None, 1.0]
    assert plot.alt.endswith("train: from 3 at epoch 1 to 1 at epoch 3. validation: no value.")


def test_nothing_logged_gives_no_plot() -> None:
    assert stage_plots({}) == []
    assert stage_plots({"train/loss": curve()}) == []


def test_repetitions_share_an_entry_of_the_legend() -> None:
    lines = [Series(name="a", curve=curve(1, 2), colour="var(--run-0)", group="0 loss") for _ in range(3)]
    traces = curve_plot("loss", lines).figure["data"]
    assert [trace["showlegend"] for trace in traces] == [True, False, False]
    assert {trace["legendgroup"] for trace in traces} == {"0 loss"}


def test_plotly_knows_every_word_of_the_figure() -> None:
    for plot in stage_plots({"train/loss": curve(5, 4), "validation/top1": curve(0.1, 0.2)}, collapse=6.0):
        go.Figure(plot.figure)

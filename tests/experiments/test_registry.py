"""All tables and figures of the paper are there, can be built at every scale, and quote the paper."""

import re
from pathlib import Path

import pytest

from supcon.base.errors import RequestError
from supcon.experiments import EXPERIMENTS, SCALES, Request, cells_by_key, find_experiments, needed_cells

PAPER = Path("/work/shared/paper")
NAMES = (
    *("loss-variants", "datasets", "imagenet", "robustness", "calibration", "stability", "batch-size", "epochs"),
    *("temperature", "positives", "n-pairs", "queue", "cross-entropy-budget", "two-stage-cross-entropy", "optimizers"),
    *("augmentations", "randaugment-magnitude", "transfer", "reduced-data", "label-noise", "gradients"),
    *("fair-comparison", "fair-comparison-fine-tuned"),
)


def request_at(scale: str) -> Request:
    return Request(scale=SCALES[scale], data="/photos/cifar10" if scale == "small" else None, seeds=(0,))  # type: ignore[index]


def test_every_table_and_figure_is_there() -> None:
    assert tuple(EXPERIMENTS) == NAMES


@pytest.mark.parametrize("scale", ["smoke", "small", "paper"])
@pytest.mark.parametrize("name", NAMES)
def test_a_grid_can_be_built_and_its_comparisons_are_of_its_rows(name: str, scale: str) -> None:
    experiment, request = EXPERIMENTS[name], request_at(scale)
    settings = request.settings(experiment)
    names = [setting.name for setting in settings]
    assert len(set(names)) == len(names)
    assert needed_cells(experiment, request, {})
    for comparison in experiment.comparisons(request.scale):
        assert {*comparison.first, *comparison.second} <= set(names)
    assert experiment.judge is not None or experiment.comparisons(request.scale)
    measures = experiment.measures(request.scale)
    assert {measure for setting in settings for measure in setting.published} <= set(measures)


def test_experiments_share_cells() -> None:
    """The recipe's own SupCon and cross-entropy are trained once for all experiments."""
    request = request_at("small")
    cells = {name: cells_by_key(needed_cells(one, request, {})) for name, one in EXPERIMENTS.items()}
    together = {key for some in cells.values() for key in some}
    assert len(together) < sum(map(len, cells.values())) - 30
    shared = set(cells["loss-variants"]) & set(cells["datasets"])
    assert len(shared) == 1
    for name in ("robustness", "temperature", "positives", "n-pairs", "queue", "label-noise", "reduced-data", "epochs"):
        assert shared <= set(cells[name]), name


def test_all_may_stand_beside_other_names() -> None:
    assert find_experiments(["all", "n-pairs"]) == list(EXPERIMENTS.values())


def test_an_unknown_name_gets_the_nearest_one() -> None:
    with pytest.raises(RequestError, match=r"no experiment called 'temperatur'; did you mean 'temperature'\?"):
        find_experiments(["temperatur"])
    assert tuple(one.name for one in find_experiments(["all"])) == NAMES
    assert [one.name for one in find_experiments(["queue", "queue"])] == ["queue"]


@pytest.mark.skipif(not PAPER.exists(), reason="the paper's text is not here")
@pytest.mark.parametrize("name", NAMES)
def test_published_figures_stand_in_the_paper(name: str) -> None:
    text = "".join(path.read_text() for path in PAPER.glob("*.txt"))
    printed = {float(number) for number in re.findall(r"\d+\.\d+", text)}
    computed = {"corruptions/mean_top1", "transfer/mean/fine_tune/accuracy"}  # means of what is printed
    for row in EXPERIMENTS[name].settings(SCALES["paper"]):
        for measure, value in row.published.items():
            if measure not in computed:
                assert {round(100 * value, 2), round(value, 3)} & printed, (row.name, measure, value)

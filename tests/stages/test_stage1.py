"""Stage 1 on a few images: what it learns, says and refuses."""

import math
from dataclasses import replace
from typing import Any

import pytest
import torch

from references.whole_stages import Stages, equal, weights
from supcon.base.errors import WorkError
from supcon.data.image_data import ImageData, join_splits
from supcon.stages.config import HardwareConfig
from supcon.views import MixConfig, ViewsConfig


@pytest.mark.parametrize(
    ("method", "precision"), [("supcon", "32-true"), ("simclr", "32-true"), ("supcon", "bf16-mixed")]
)
def test_pretraining_reduces_the_loss(stages: Stages, method: Any, precision: Any) -> None:
    stages.train(method, epochs=10, hardware=HardwareConfig(device="cpu", precision=precision))
    rows = stages.rows("stage1")
    assert list(rows) == list(range(1, 11))
    assert rows[10]["train/loss"] < rows[1]["train/loss"] - 0.3


def test_cross_entropy_reduces_the_loss_and_learns_the_classes(stages: Stages) -> None:
    stages.cross_entropy(epochs=10)
    rows = stages.rows("stage1")
    assert rows[10]["train/loss"] < 0.6 * rows[1]["train/loss"]
    assert rows[10]["train/top1"] > max(0.7, rows[1]["train/top1"])


@pytest.mark.parametrize("method", ["supcon", "cross-entropy"])
@pytest.mark.parametrize("knn_every", [0, 1])
def test_frozen_statistics_are_those_of_before(stages: Stages, method: Any, knn_every: int) -> None:
    """From the first step on: a measurement between the epochs sets the modes of all layers anew."""
    before = weights(stages.make_parts(0)[0])
    after = weights(stages.train(method, frozen_statistics=True, knn_every=knn_every)["encoder"])
    statistics = [name for name in before if "network" in name and "running" in name]
    assert statistics
    assert all(torch.equal(after[name], before[name]) for name in statistics)
    assert not equal(before, after)


@pytest.mark.parametrize("mix", ["mixup", "cutmix"])
@pytest.mark.parametrize("method", ["supcon-in", "simclr", "cross-entropy-two-stage"])
def test_mixed_images_teach_the_methods_that_have_a_meaning_for_them(stages: Stages, method: Any, mix: Any) -> None:
    before = weights(stages.make_parts(0)[0])
    plain = weights(stages.train(method, "plain", epochs=1)["encoder"])
    mixed = weights(stages.train(method, "mixed", epochs=1, mix=MixConfig(method=mix))["encoder"])
    assert math.isfinite(stages.rows("mixed")[1]["train/loss"])
    assert not equal(mixed, before)
    assert not equal(mixed, plain)


def without_some_labels(data: ImageData) -> ImageData:
    """As `load_data` gives them: those without a label behind the others, and only in what stage 1 sees."""
    place = torch.arange(len(data.train))
    known, free = data.train.pick(place[place % 3 > 0]), data.train.pick(place[::3])
    free = replace(free, labels=torch.full_like(free.labels, -1))
    return replace(data, train=known, with_unlabelled=join_splits(known, free))


@pytest.mark.parametrize("method", ["supcon", "supcon-in", "n-pairs", "triplet", "joint"])
def test_stage_1_takes_unlabelled_images(stages: Stages, method: Any) -> None:
    stages.data = without_some_labels(stages.data)
    stages.train(method, epochs=1)
    assert math.isfinite(stages.rows("stage1")[1]["train/loss"])


@pytest.mark.parametrize("stage", ["cross_entropy", "classify"])
def test_a_classifier_learns_from_labelled_images_alone(stages: Stages, stage: str) -> None:
    stages.data = without_some_labels(stages.data)
    trained = weights(getattr(stages, stage)("unlabelled"))
    stages.data = replace(stages.data, with_unlabelled=None)
    assert equal(trained, weights(getattr(stages, stage)("left out")))


def test_the_collapsed_value_is_said_at_the_start_and_not_at_the_end(
    stages: Stages, capsys: pytest.CaptureFixture[str]
) -> None:
    stages.pretrain(epochs=4)
    said = capsys.readouterr().err
    assert "24 rows" in said
    assert "3.135" in said  # log(23)
    assert "The encoder has collapsed: at step" not in said


def test_a_loss_that_is_no_number_stops_the_stage_before_its_checkpoint(stages: Stages) -> None:
    with pytest.raises(WorkError, match=r"^The (loss|gradient) became (nan|inf) at step \d+"):
        stages.pretrain(epochs=4, lr=1e30)
    assert [path for path in stages.folder.rglob("*") if path.is_file()] == []


def test_one_view_will_do_with_labels(stages: Stages) -> None:
    stages.pretrain(views=ViewsConfig(augmentation="crop-flip", count=1))
    assert list(stages.rows("stage1")) == [1, 2]

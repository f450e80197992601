"""Whole stages on a few images: what they learn, measure, say and refuse."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
import torch

from references.whole_stages import Stages, checkpointed, equal, weights
from supcon.base.errors import RequestError, WorkError
from supcon.data.image_data import ImageData, join_splits
from supcon.stages.config import HardwareConfig, OptimizerConfig
from supcon.views import MixConfig, ViewsConfig

# Learning


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


def test_stage_2_learns_and_leaves_the_encoder_bit_for_bit(stages: Stages) -> None:
    before = weights(stages.make_parts(0)[0])
    module = stages.classify(epochs=8)
    assert equal(before, weights(module["encoder"]))
    assert {"network.stem.1.running_mean", "network.stem.1.num_batches_tracked"} <= set(before)
    rows = stages.rows("stage2")
    assert rows[8]["train/loss"] < rows[1]["train/loss"]


def test_cached_representations_teach_what_whole_images_do(stages: Stages) -> None:
    whole = ViewsConfig(augmentation="crop-flip", crop_area=(1, 1), crop_aspect=(1, 1), flip_probability=0, count=1)
    on_views = weights(stages.classify("views", epochs=3, views=whole)["classifier"])
    cached = weights(stages.classify("cached", epochs=3, cached=True)["classifier"])
    for name, tensor in on_views.items():
        assert torch.allclose(tensor, cached[name], atol=1e-4)
    views, rows = stages.rows("views"), stages.rows("cached")
    assert [row["train/loss"] for row in rows.values()] == pytest.approx(
        [row["train/loss"] for row in views.values()], rel=1e-4
    )


def test_a_cached_stage_2_encodes_once_and_leaves_the_encoder_alone(stages: Stages) -> None:
    before = weights(stages.make_parts(0)[0])
    assert equal(before, weights(stages.classify(epochs=2, cached=True)["encoder"]))
    assert not any(name.startswith("encoder") for name in checkpointed(stages.folder / "stage2"))


def test_fine_tuning_moves_encoder_and_averages_at_a_rate_of_its_own(stages: Stages) -> None:
    before = weights(stages.make_parts(0)[0])
    moved = {
        lr: (weights(stages.classify(str(lr), epochs=1, encoder_lr=lr)["encoder"])["network.stem.0.weight"])
        for lr in (1e-4, 1e-2)
    }
    slow, fast = (float((weight - before["network.stem.0.weight"]).norm()) for weight in moved.values())
    assert slow > 0
    assert 30 < fast / slow < 300
    state = checkpointed(stages.folder / "0.01")
    assert int(state["encoder.network.stem.1.num_batches_tracked"]) == 3


def test_label_smoothing_bounds_the_loss_of_stage_2(stages: Stages) -> None:
    stages.classify(epochs=8, cached=True, label_smoothing=0.9)
    least = -(0.4 * math.log(0.4) + 2 * 0.3 * math.log(0.3))
    assert all(row["train/loss"] > least for row in stages.rows("stage2").values())


@pytest.mark.parametrize("mix", ["mixup", "cutmix"])
@pytest.mark.parametrize("method", ["supcon-in", "simclr", "cross-entropy-two-stage"])
def test_mixed_images_teach_the_methods_that_have_a_meaning_for_them(stages: Stages, method: Any, mix: Any) -> None:
    stages.train(method, epochs=1, mix=MixConfig(method=mix))
    assert stages.rows("stage1")[1]["train/loss"] > 0


# Unlabelled images


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


# What is measured and said on the way


def test_every_row_has_its_own_measures(stages: Stages) -> None:
    values = iter([0.25, 0.5])
    stages.pretrain(epochs=4, probe=lambda encode: {"validation/knn_top1": next(values)}, knn_every=2)
    rows = stages.rows("stage1")
    assert [row.get("validation/knn_top1") for row in rows.values()] == [None, 0.25, None, 0.5]
    assert all(row["train/loss"] > 0 and row["seconds"] > 0 for row in rows.values())


def test_the_probe_gets_the_encoder_and_changes_nothing(stages: Stages) -> None:
    def probe(encode: Any) -> Mapping[str, float]:
        assert not encode.training
        assert encode(stages.data.validation.images).shape == (9, 32)
        return {}

    with_probe = weights(stages.pretrain("with", probe=probe))
    assert equal(with_probe, weights(stages.pretrain("without", knn_every=0)))


def test_the_collapsed_value_is_said_at_the_start_and_not_at_the_end(
    stages: Stages, capsys: pytest.CaptureFixture[str]
) -> None:
    stages.pretrain(epochs=4)
    said = capsys.readouterr().err
    assert "24 rows" in said
    assert "3.135" in said  # log(23)
    assert "The encoder has collapsed: at step" not in said


# What goes wrong


def test_a_loss_that_is_no_number_stops_the_stage_before_its_checkpoint(stages: Stages) -> None:
    with pytest.raises(WorkError, match=r"^The (loss|gradient) became (nan|inf) at step \d+"):
        stages.pretrain(epochs=4, lr=1e30)
    assert [path for path in stages.folder.rglob("*") if path.is_file()] == []


def test_a_batch_larger_than_the_training_set_is_refused(stages: Stages) -> None:
    with pytest.raises(RequestError, match="The batch size 64 is larger than the training set of 36 images"):
        stages.classify(batch_size=64)


def test_one_view_will_do_with_labels(stages: Stages) -> None:
    stages.pretrain(views=ViewsConfig(augmentation="crop-flip", count=1))
    assert list(stages.rows("stage1")) == [1, 2]


# Gradient clipping


@pytest.mark.parametrize(("clip_norm", "longest"), [(0.001, 3e-4), (None, 1e9)])
def test_a_stage_clips_before_it_steps(stages: Stages, clip_norm: float | None, longest: float) -> None:
    """Without momentum and decay, a step is as long as the rate times the gradient: at most 0.1 * 0.001 for 3 steps."""
    before = torch.cat([p.detach().flatten() for part in stages.make_parts(0) for p in part.parameters()])
    chosen = OptimizerConfig(lr=0.1, momentum=0, weight_decay=0, schedule="constant", clip_norm=clip_norm)
    after = torch.cat([p.detach().flatten() for p in stages.pretrain(epochs=1, optimizer=chosen).parameters()])
    moved = float((after - before).norm())
    assert moved <= longest * 1.01
    assert clip_norm is not None or moved > 1e-2

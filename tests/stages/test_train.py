"""Whole stages on a few images: what they learn, measure, say and refuse."""

from collections.abc import Mapping
from typing import Any

import pytest

from references.whole_stages import Stages, equal, weights
from supcon.errors import RequestError, WorkError
from supcon.stages.config import HardwareConfig
from supcon.views import ViewsConfig

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
    assert "the encoder has collapsed" not in said


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

"""Stage 2 on a few images: what it learns and refuses."""

import math

import pytest

from references.whole_stages import Stages, checkpointed, equal, weights
from supcon.base.errors import RequestError


def test_stage_2_learns_and_leaves_the_encoder_bit_for_bit(stages: Stages) -> None:
    before = weights(stages.make_parts(0)[0])
    module = stages.classify(epochs=8)
    assert equal(before, weights(module["encoder"]))
    assert {"network.stem.1.running_mean", "network.stem.1.num_batches_tracked"} <= set(before)
    rows = stages.rows("stage2")
    assert rows[8]["train/loss"] < rows[1]["train/loss"]


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


def test_a_batch_larger_than_the_training_set_is_refused(stages: Stages) -> None:
    with pytest.raises(RequestError, match="The batch size 64 is larger than the training set of 36 images"):
        stages.classify(batch_size=64)

from typing import Any

import pytest

from supcon.base.errors import RequestError
from supcon.stages.config import HardwareConfig, OptimizerConfig, Stage1Config, Stage2Config


@pytest.mark.parametrize(
    ("config", "values", "message"),
    [
        (OptimizerConfig, {"lr": 0.0}, "The learning rate must be above 0, got 0.0."),
        (OptimizerConfig, {"lr": float("nan")}, "The learning rate must be above 0, got nan."),
        (OptimizerConfig, {"momentum": 1.0}, "The momentum must be at least 0 and below 1, got 1.0."),
        (OptimizerConfig, {"momentum": -0.1}, "The momentum must be at least 0 and below 1, got -0.1."),
        (OptimizerConfig, {"lr_end": 1.0}, "optimizer.lr_end must be at least 0 and below 1, got 1.0."),
        (OptimizerConfig, {"ema_decay": 1.0}, "optimizer.ema_decay must be at least 0 and below 1, got 1.0."),
        (OptimizerConfig, {"rmsprop_rho": -0.1}, "optimizer.rmsprop_rho must be at least 0 and below 1, got -0.1."),
        (OptimizerConfig, {"lars_trust": 0.0}, "optimizer.lars_trust must be above 0, got 0.0."),
        (OptimizerConfig, {"rmsprop_epsilon": 0.0}, "optimizer.rmsprop_epsilon must be above 0, got 0.0."),
        (OptimizerConfig, {"decay_every": 0.0}, "optimizer.decay_every must be above 0, got 0.0."),
        (OptimizerConfig, {"decay_rate": 1.5}, "optimizer.decay_rate must be above 0 and at most 1, got 1.5."),
        (OptimizerConfig, {"decay_at": (9, 3)}, "optimizer.decay_at must be increasing epochs above 0, got [9, 3]."),
        (OptimizerConfig, {"decay_at": (0, 3)}, "optimizer.decay_at must be increasing epochs above 0, got [0, 3]."),
        (
            OptimizerConfig,
            {"schedule": "step"},
            "The schedule step needs the epochs in optimizer.decay_at, such as [60,75,90].",
        ),
        (
            OptimizerConfig,
            {"clip_norm": 0.0},
            "optimizer.clip_norm must be above 0, or none for no clipping, got 0.0.",
        ),
        (
            OptimizerConfig,
            {"name": "lars", "nesterov": True},
            "optimizer.nesterov needs the optimizer sgd with a momentum above 0, got lars with 0.9; leave it out.",
        ),
        (Stage1Config, {"epochs": 0}, "stage1.epochs must be at least 1, got 0."),
        (Stage1Config, {"batch_size": 1}, "stage1.batch_size must be at least 2, got 1."),
        (Stage1Config, {"knn_every": -1}, "stage1.knn_every must be 0 (never) or more, got -1."),
        (Stage1Config, {"images_per_class": 0}, "stage1.images_per_class must be at least 1, got 0."),
        (
            Stage1Config,
            {"sampler": "m-per-class", "batch_size": 10, "images_per_class": 4},
            "stage1.batch_size must be a multiple of stage1.images_per_class with the sampler m-per-class, "
            "got 10 and 4.",
        ),
        (Stage1Config, {"label_smoothing": 1.0}, "stage1.label_smoothing must be at least 0 and below 1, got 1.0."),
        (Stage1Config, {"margin": 0}, "stage1.margin must be a whole number from 1 (no margin) up, got 0."),
        (Stage1Config, {"cross_entropy_weight": -1.0}, "stage1.cross_entropy_weight must be 0 or more, got -1.0."),
        (Stage2Config, {"label_smoothing": -0.1}, "stage2.label_smoothing must be at least 0 and below 1, got -0.1."),
        (Stage2Config, {"encoder_lr": -0.1}, "stage2.encoder_lr must be 0 (frozen) or more, got -0.1."),
        (
            Stage2Config,
            {"cached": True, "encoder_lr": 0.1},
            "stage2.cached needs a frozen encoder, got stage2.encoder_lr 0.1; leave one of the two out.",
        ),
        (Stage1Config, {"micro_batch": 1}, "stage1.micro_batch must be at least 2 images, got 1."),
        (HardwareConfig, {"devices": 0}, "hardware.devices must be at least 1, got 0."),
        (HardwareConfig, {"num_nodes": -1}, "hardware.num_nodes must be at least 1, got -1."),
        (Stage2Config, {"epochs": -3}, "stage2.epochs must be at least 1, got -3."),
        (Stage2Config, {"batch_size": 0}, "stage2.batch_size must be at least 2, got 0."),
    ],
)
def test_bad_values_are_refused_in_one_sentence(config: Any, values: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError) as caught:
        config(**values)
    assert str(caught.value) == message


@pytest.mark.parametrize("name", ["weight_decay", "warmup_epochs"])
def test_negative_decay_and_warm_up_are_refused(name: str) -> None:
    with pytest.raises(RequestError, match=rf"{name}.*must not be negative"):
        OptimizerConfig(**{name: -1.0})  # type: ignore[arg-type]


def test_limits_are_allowed() -> None:
    optimizer = OptimizerConfig(lr=1e-9, momentum=0.0, weight_decay=0.0, warmup_epochs=0.0)
    assert (optimizer.lr, optimizer.momentum, optimizer.warmup_epochs) == (1e-9, 0, 0)
    stage = Stage1Config(epochs=1, batch_size=2, knn_every=0)
    assert (stage.epochs, stage.batch_size, stage.knn_every) == (1, 2, 0)


def test_stage_2_sees_one_view_cropped_and_flipped() -> None:
    assert (Stage2Config().views.augmentation, Stage2Config().views.count) == ("crop-flip", 1)


def test_batch_norm_by_the_batch_needs_a_frozen_encoder_that_sees_it() -> None:
    assert Stage2Config(batch_norm="batch").batch_norm == "batch"
    for options in ({"cached": True}, {"encoder_lr": 0.1}):
        with pytest.raises(RequestError, match=r"stage2.batch_norm batch needs a frozen encoder.*leave one of the two"):
            Stage2Config(batch_norm="batch", **options)

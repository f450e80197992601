"""Estimates the time of a run from the measured speed of encoder and views."""

from dataclasses import dataclass

from supcon.data import ImageData
from supcon.encoder import Encoder
from supcon.jobs.model_outputs import probe_images
from supcon.jobs.planning.measure_speed import EncoderSpeed, measure_encoder, measure_views
from supcon.recipes import Recipe
from supcon.stages import METHODS, RunContext, on_gpu, run_device

_AGAIN = 1 / 3
"""Additional time of gradient caching: a second forward pass, about a third of a step."""


@dataclass(frozen=True, kw_only=True)
class TimeEstimate:
    """Estimated seconds of a run."""

    stage1: float
    """Including the k-NN measurements."""
    stage2: float
    evaluation: float

    @property
    def total(self) -> float:
        return self.stage1 + self.stage2 + self.evaluation


def estimate_time(recipe: Recipe, data: ImageData, encoder: Encoder, image_size: int | None = None) -> TimeEstimate:
    """Measures encoder and views on a few rows; `image_size` estimates for another size than the data's."""
    size = image_size or data.image_size
    context = RunContext(data=data, hardware=recipe.hardware, seed=recipe.seed)
    images = recipe.stage1.batch_size // _processes(recipe)
    rows = min(images, recipe.stage1.micro_batch or images) * recipe.views.count
    speed = measure_encoder(encoder, data.channels, size, recipe.hardware, rows, recipe.stage1.frozen_layers)
    spec = METHODS[recipe.method]
    train = data.pretraining if spec.contrastive else data.train
    return TimeEstimate(
        stage1=_stage1(recipe, len(train), speed, context) + _probes(recipe, data) * speed.encode,
        stage2=_stage2(recipe, len(data.train), speed, context) if spec.stage2 else 0.0,
        evaluation=sum(len(split) for split in (data.train, data.validation, data.test)) * speed.encode,
    )


def _stage1(recipe: Recipe, images: int, speed: EncoderSpeed, context: RunContext) -> float:
    stage = recipe.stage1
    views = measure_views(context.view_maker(recipe.views), context.data.train, run_device(recipe.hardware))
    train = speed.train * (1 + _AGAIN if stage.micro_batch else 1)
    rows = stage.batch_size * recipe.views.count / _processes(recipe)
    row = views.with_training(train, on_gpu(recipe.hardware))
    return stage.epochs * (images // stage.batch_size) * rows * row


def _stage2(recipe: Recipe, images: int, speed: EncoderSpeed, context: RunContext) -> float:
    stage = recipe.stage2
    if stage.cached:
        return images * speed.encode
    views = measure_views(context.view_maker(stage.views), context.data.train, run_device(recipe.hardware))
    row = views.with_training(speed.train if stage.encoder_lr else speed.encode, on_gpu(recipe.hardware))
    steps = stage.epochs * (images // stage.batch_size)
    return steps * stage.batch_size * stage.views.count / _processes(recipe) * row


def _processes(recipe: Recipe) -> int:
    return recipe.hardware.devices * recipe.hardware.num_nodes


def _probes(recipe: Recipe, data: ImageData) -> int:
    """Number of images that all k-NN measurements of stage 1 encode together."""
    every, epochs = recipe.stage1.knn_every, recipe.stage1.epochs
    return -(-epochs // every) * probe_images(data) if every else 0

"""Every method learns a few images by heart: its loss goes to the least value that it can have."""

import math
from collections.abc import Callable
from typing import Any, get_args
from unittest.mock import Mock

import pytest
import torch
from torch import Tensor

from references.whole_stages import Stages
from supcon.losses import LossConfig
from supcon.recipes import Method
from supcon.stages.methods import METHODS
from supcon.stages.run_context import RunContext
from supcon.views import ViewsConfig

CLASSES, IMAGES, VIEWS, TEMPERATURE = 3, 6, 2, 0.5
SAME = ViewsConfig(augmentation="crop-flip", crop_area=(1, 1), crop_aspect=(1, 1), flip_probability=0, count=VIEWS)


def simplex(classes: int, rows_of_class: int) -> float:
    """Eq. 2 and 3 where classes are single points as far apart as can be, cos = -1 / (classes - 1): their minimum."""
    others = rows_of_class * (classes - 1)
    return math.log(rows_of_class - 1 + others * math.exp(-classes / (classes - 1) / TEMPERATURE))


def smoothed_entropy(smoothing: float) -> float:
    shares = [1 - smoothing + smoothing / CLASSES, *[smoothing / CLASSES] * (CLASSES - 1)]
    return -sum(share * math.log(share) for share in shares)


LEAST: dict[str, float] = {
    "supcon": simplex(CLASSES, 4),
    "supcon-in": simplex(CLASSES, 4),
    "simclr": simplex(IMAGES, VIEWS),
    "n-pairs": simplex(CLASSES, 4),
    "triplet": math.log(1 + math.exp(-CLASSES / (CLASSES - 1) / TEMPERATURE)),
    "joint": simplex(CLASSES, 4),
    "cross-entropy": smoothed_entropy(0.1),
    "cross-entropy-two-stage": smoothed_entropy(0.1),
    "large-margin": smoothed_entropy(0.1),
}


Build = Callable[..., Any]


@pytest.fixture
def build(stages: Stages, monkeypatch: pytest.MonkeyPatch) -> Build:
    """`build(method, **loss)` gives what a run would train in its stage 1."""
    made: list[Any] = []
    monkeypatch.setattr(RunContext, "run", lambda context, module, *rest, **options: made.append(module))
    real = stages.make_parts

    def build(method: Method, **loss: Any) -> Any:
        contrastive = METHODS[method].contrastive

        def parts(seed: int) -> Any:
            encoder, *rest = real(seed)
            encoder.normalize_representation = contrastive
            return encoder, *rest

        stages.make_parts = parts
        config = LossConfig(temperature=TEMPERATURE, rescale="none", **loss)
        stages.train(method, loss=config, views=SAME, margin=2, label_smoothing=0.0 if contrastive else 0.1)
        made[-1].log_dict = Mock()
        return made[-1]

    return build


def batch() -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1)
    return torch.randint(0, 256, (IMAGES, 1, 8, 8), generator=generator).to(torch.uint8), torch.arange(IMAGES) % CLASSES


def learn(module: Any, steps: int = 120) -> dict[str, float]:
    """What is logged at the last of so many steps on one batch."""
    trained = [parameter for parameter in module.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=0.02, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for step in range(steps):
        module._trainer = Mock(global_step=step, global_rank=0, world_size=1)
        module.total_steps = steps
        optimizer.zero_grad()
        module.training_step(batch(), step).backward()
        optimizer.step()
        schedule.step()
    return {name: float(value.detach()) for name, value in module.log_dict.call_args.args[0].items()}


@pytest.mark.parametrize("method", get_args(Method))
def test_a_few_images_are_learned_by_heart(build: Build, method: Method) -> None:
    # Six images as far apart as can be take longer than three classes.
    figures = learn(build(method), steps=300 if method == "simclr" else 120)
    assert figures["train/loss"] == pytest.approx(LEAST[method], rel=0.03)
    if method != "triplet":  # whose value is that of one drawn negative, which can happen to be one of the farther ones
        assert figures["train/loss"] > LEAST[method] - 1e-4
    if "train/top1" in figures:
        assert figures["train/top1"] == 1


def test_the_classifier_beside_learns_without_touching_the_encoder(build: Build) -> None:
    alone, joint = build("supcon"), build("joint")
    with_classifier = learn(joint, steps=12)
    assert with_classifier["train/loss"] == learn(alone, steps=12)["train/loss"]
    for mine, theirs in zip(joint.encoder.parameters(), alone.encoder.parameters(), strict=True):
        assert torch.equal(mine, theirs)
    assert with_classifier["train/classifier_loss"] < math.log(CLASSES)


def test_large_margin_leaves_the_bias_at_zero(build: Build) -> None:
    module = build("large-margin")
    learn(module, steps=3)
    assert (module.classifier.bias == 0).all()
    assert module.loss.margin == 2


# The queue


def keys_of(module: Any) -> Tensor:
    keys: Tensor = module.queue.contents()[0]
    return keys


def test_the_queue_holds_the_last_keys_oldest_first(build: Build) -> None:
    module = build("supcon", queue_size=30, queue_momentum=0.5)
    made: list[Tensor] = []
    module.momentum_encoder.register_forward_hook(lambda _, given, keys: made.append(keys.clone()))
    learn(module, steps=2)
    assert len(module.queue) == 24
    learn(module, steps=3)
    assert torch.equal(keys_of(module), torch.cat(made)[-30:])  # 12 rows a step: it went round twice
    labels = (torch.arange(IMAGES) % CLASSES).repeat_interleave(VIEWS).repeat(5)[-30:]
    assert torch.equal(module.queue.contents()[1], labels)


def test_a_batch_meets_the_queue_before_it_enters(build: Build) -> None:
    module = build("supcon", queue_size=64)
    seen: list[int] = []
    real = module.loss.forward

    def spy(*values: Any, **options: Any) -> Any:
        seen.append(len(options["queue"]))
        loss: Tensor = real(*values, **options)
        return loss

    module.loss.forward = spy
    learn(module, steps=3)
    assert seen == [0, 12, 24]


def test_the_momentum_encoder_follows_and_is_not_optimised(build: Build) -> None:
    module = build("supcon", queue_size=24, queue_momentum=0.75)
    start = next(module.encoder.network.parameters()).detach().clone()
    learn(module, steps=1)
    moved = next(module.encoder.network.parameters()).detach().clone()
    slow = next(module.momentum_encoder.encoder.network.parameters())
    assert torch.equal(slow, start), "a step's keys are made before the step's update"
    learn(module, steps=1)
    assert torch.allclose(slow, 0.75 * start + 0.25 * moved)


def test_without_labels_the_queue_has_negatives_alone(build: Build) -> None:
    module = build("simclr", queue_size=24)
    learn(module, steps=2)
    assert (module.queue.contents()[1] == -1).all()


def test_with_a_queue_the_loss_still_goes_down_to_its_least(build: Build) -> None:
    module = build("supcon", queue_size=12, queue_momentum=0.5)
    # The rows of the last batch once more: seven others of the class and sixteen of other classes.
    others = 16 * math.exp(-CLASSES / (CLASSES - 1) / TEMPERATURE)
    assert learn(module)["train/loss"] == pytest.approx(math.log(7 + others), rel=0.03)

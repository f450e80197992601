"""Sec. 4.1: a queue of past projections instead of a large batch."""

from supcon.experiments.experiment import Experiment, Setting, above
from supcon.experiments.scale import Scale

WHOLE, PART, QUEUE = "Large batch", "Small batch", "Small batch with a queue"


def _settings(scale: Scale) -> list[Setting]:
    if scale.is_paper:
        queue = Setting(name=QUEUE, recipe="imagenet-resnet50-queue", published={"test/top1": 0.791})
        return [Setting(name=WHOLE, published={"test/top1": 0.787}), queue]
    stage = scale.base().stage1
    batch = max(16, stage.batch_size // 4)
    small = {"stage1.batch_size": batch, "stage1.optimizer.lr": stage.optimizer.lr * batch / stage.batch_size}
    # 32 times the batch, as the paper's 8192 rows for 256 images; a faster momentum encoder for a shorter training.
    queue_changes = {**small, "loss.queue_size": 32 * batch, "loss.queue_momentum": 0.99}
    return [
        Setting(name=WHOLE, published={"test/top1": 0.787}),
        Setting(name=PART, changes=small),
        Setting(name=QUEUE, changes=queue_changes, published={"test/top1": 0.791}),
    ]


QUEUE_EXPERIMENT = Experiment(
    name="queue",
    where="Sec. 4.1",
    claim="With a memory of 8192 projections and a batch of 256, SupCon is slightly better than with a batch of 6144 "
    "and no memory: 79.1 against 78.7 %.",
    settings=_settings,
    comparisons=lambda scale: [above(QUEUE, WHOLE)],
    differs="Below the paper's scale the small batch is a quarter of the recipe's, its learning rate too, the queue "
    "has 32 times as many rows as the batch has images, and the momentum of its encoder is 0.99. At the paper's "
    "scale the recipe with the queue also has an MLP as projection, plain SGD and a loss that is not rescaled.",
)

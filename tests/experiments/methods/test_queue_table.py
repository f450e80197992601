"""Sec. 4.1: the memory queue."""

from supcon.experiments import EXPERIMENTS, SCALES


def test_the_queue_has_32_rows_for_every_image_of_a_quarter_of_the_batch() -> None:
    scale = SCALES["small"]
    whole, part, queue = EXPERIMENTS["queue"].settings(scale)
    stage = scale.base().stage1
    assert whole.changes == {}
    assert part.changes["stage1.batch_size"] == stage.batch_size // 4
    assert part.changes["stage1.optimizer.lr"] == stage.optimizer.lr / 4
    assert queue.changes["loss.queue_size"] == 8 * stage.batch_size
    assert {name: queue.changes[name] for name in part.changes} == part.changes


def test_at_the_papers_scale_it_is_the_papers_recipe() -> None:
    *_, queue = EXPERIMENTS["queue"].settings(SCALES["paper"])
    assert (queue.recipe, queue.published["test/top1"]) == ("imagenet-resnet50-queue", 0.791)

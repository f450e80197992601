"""Turns out-of-memory errors into advice."""

from collections.abc import Iterator
from contextlib import contextmanager

from lightning import LightningModule, Trainer

from supcon.base.errors import WorkError
from supcon.base.memory import is_out_of_memory


@contextmanager
def explain_out_of_memory(stage: LightningModule, trainer: Trainer) -> Iterator[None]:
    """Turns a failed allocation while `trainer` trains `stage` into an error that names the option that helps."""
    try:
        yield
    except (MemoryError, RuntimeError, OSError) as error:
        if not is_out_of_memory(error):
            raise
        advice = _advice(stage, trainer.world_size)
        raise WorkError(
            f"There is not enough memory for a step of this size; {advice}, or make the images smaller with "
            "--data.image_size; then start again in another --out."
        ) from error


def _advice(stage: LightningModule, processes: int) -> str:
    batch_size: int = stage.optimization.batch_size  # type: ignore[union-attr, assignment]
    if not hasattr(stage, "micro_rows"):
        return f"lower --stage2.batch_size, which is {batch_size}"
    micro_rows: int | None = stage.micro_rows  # type: ignore[assignment]
    # The processes share the batch; a micro-batch is of each of them.
    at_once = batch_size // processes if micro_rows is None else micro_rows // stage.views.count  # type: ignore[union-attr, operator]
    if at_once <= 2:
        return f"lower --batch-size, which is {batch_size}"
    return (
        f"with --micro-batch {max(2, at_once // 2)} the encoder processes that many images at a time instead of "
        f"{at_once}, with the same loss of the whole batch"
    )

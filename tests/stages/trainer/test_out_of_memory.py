from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
import torch
from lightning import LightningModule, Trainer

from supcon.base.errors import WorkError
from supcon.stages.trainer.out_of_memory import explain_out_of_memory

ONE = Mock(spec=Trainer, world_size=1)


def stage(**more: Any) -> LightningModule:
    """What a stage has that decides about the advice."""
    module: Any = LightningModule()
    module.optimization, module.views = SimpleNamespace(batch_size=256), SimpleNamespace(count=2)
    for name, value in more.items():
        setattr(module, name, value)
    return module  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("micro_rows", "advice"), [(None, "--micro-batch 128 .* instead of 256"), (64, "--micro-batch 16 .* instead of 32")]
)
def test_stage_1_is_told_half_of_what_went_through_at_once(micro_rows: int | None, advice: str) -> None:
    with pytest.raises(WorkError, match=advice), explain_out_of_memory(stage(micro_rows=micro_rows), ONE):
        torch.empty(2**60)  # torch's own answer to an allocation that cannot be


@pytest.mark.parametrize(
    ("processes", "micro_rows", "advice"),
    [
        (4, None, "--micro-batch 32 .* instead of 64"),
        (4, 64, "--micro-batch 16 .* instead of 32"),
        (128, None, "lower --batch-size, which is 256, or make"),
        (1, 4, "lower --batch-size, which is 256, or make"),
    ],
)
def test_processes_share_the_batch(processes: int, micro_rows: int | None, advice: str) -> None:
    trainer = Mock(spec=Trainer, world_size=processes)
    with pytest.raises(WorkError, match=advice), explain_out_of_memory(stage(micro_rows=micro_rows), trainer):
        raise MemoryError


def test_a_gpu_without_memory_is_told_too() -> None:
    with pytest.raises(WorkError, match="--micro-batch 128"), explain_out_of_memory(stage(micro_rows=None), ONE):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB.")


def test_stage_2_has_no_micro_batch() -> None:
    with pytest.raises(WorkError, match=r"--stage2\.batch_size, which is 256"), explain_out_of_memory(stage(), ONE):
        raise MemoryError


def test_other_errors_stay_what_they_are() -> None:
    with pytest.raises(RuntimeError, match=r"^shapes differ$"), explain_out_of_memory(stage(micro_rows=None), ONE):
        raise RuntimeError("shapes differ")

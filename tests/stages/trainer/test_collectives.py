"""Two processes: soft pairs, classifier and queue as one process with the whole batch has them."""

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import Tensor, nn

from references.gloo_processes import in_processes
from supcon.losses import MemoryQueue, SupConLoss
from supcon.stages.joint_classifier import JointClassifier
from supcon.stages.optimization.optimizer_and_schedule import Optimization
from supcon.stages.pretrain import Pretrain
from supcon.stages.trainer.collectives import gathered_pair_weights
from supcon.views import Mixed, ViewMaker, mixed_pair_weights

ROWS, VIEWS = 8, 2
LABELS = torch.tensor([0, 1, -1, 1])


THERE_ALREADY = ViewMaker(count=VIEWS, in_loader=None, on_batch=None)


def whole_mix() -> Mixed:
    """Two halves that were mixed apart from each other."""
    generator = torch.Generator().manual_seed(0)
    halves = [torch.randperm(ROWS // 2, generator=generator) + start for start in (0, ROWS // 2)]
    return Mixed(torch.zeros(ROWS, 1, 1, 1), torch.cat(halves), torch.rand(ROWS, generator=generator))


def batches() -> list[Tensor]:
    return list(torch.randn(3, 4, VIEWS, 6, generator=torch.Generator().manual_seed(1)))


def train(part: slice, gather: bool) -> Any:
    """Three steps of stage 1 with a queue that wraps around, on a part of every batch."""
    torch.manual_seed(2)
    queue = MemoryQueue(20, 3, gather_distributed=gather)
    loss = SupConLoss(0.5, gather_distributed=gather)
    module: Any = Pretrain(
        nn.Linear(6, 5), nn.Linear(5, 3), loss, THERE_ALREADY, Mock(spec=Optimization), queue=queue, queue_momentum=0.5
    )
    module.log_dict = Mock()
    trained = [*module.encoder.parameters(), *module.projection.parameters()]
    optimizer = torch.optim.SGD(trained, lr=0.5)
    for step, images in enumerate(batches()):
        module._trainer = Mock(global_step=step, global_rank=0, world_size=1)
        optimizer.zero_grad()
        module.training_step([images[part], LABELS[part]], step).backward()
        if gather:  # as DistributedDataParallel does
            for parameter in trained:
                dist.all_reduce(parameter.grad)
                parameter.grad /= dist.get_world_size()
        optimizer.step()
    return module


def check(rank: int, processes: int, whole: dict[str, Tensor]) -> None:
    del processes
    check_pairs(rank)
    check_classifier(rank)
    for name, tensor in train(slice(2 * rank, 2 * rank + 2), gather=True).state_dict().items():
        assert torch.allclose(tensor, whole[name], atol=1e-6), name


def check_pairs(rank: int) -> None:
    mixed, own = whole_mix(), slice(4 * rank, 4 * rank + 4)
    part = Mixed(mixed.images[own], mixed.partners[own] - 4 * rank, mixed.shares[own])
    for labels in (LABELS, None):
        expected = mixed_pair_weights(labels, mixed, VIEWS)[own]
        found = gathered_pair_weights(None if labels is None else LABELS[2 * rank : 2 * rank + 2], part, VIEWS)
        assert torch.equal(found, expected)


def check_classifier(rank: int) -> None:
    torch.manual_seed(0)
    classifier, rows = nn.Linear(5, 2), torch.randn(4, 5)
    (whole,) = torch.autograd.grad(F.cross_entropy(classifier(rows), LABELS, ignore_index=-1), [classifier.weight])
    own = slice(2 * rank, 2 * rank + 2)  # one labelled row here, two there
    loss, _ = JointClassifier(classifier)(rows[own], LABELS[own])
    (mine,) = torch.autograd.grad(loss, [classifier.weight])
    dist.all_reduce(mine)
    assert torch.allclose(mine / 2, whole, atol=1e-6)


def test_two_processes_have_the_pairs_the_classifier_and_the_queue_of_one(tmp_path: Path) -> None:
    whole = train(slice(0, 4), gather=False)
    assert len(whole.queue) == 20
    in_processes(check, 2, tmp_path, whole.state_dict())

"""Two processes with half of the batch each: the gradient is that of one process with the whole batch."""

import gc

import torch
import torch.distributed as dist
from torch.multiprocessing.spawn import spawn
from torch.nn.parallel import DistributedDataParallel

from supcon.losses import SupConLoss

ROWS, WIDTH, PROCESSES = 64, 16, 2


def whole_batch() -> tuple[torch.nn.Module, torch.Tensor, torch.Tensor]:
    """The same encoder, views and labels in every process."""
    torch.manual_seed(0)
    return torch.nn.Linear(32, WIDTH), torch.randn(ROWS, 2, 32), torch.arange(ROWS) % 5


def work(rank: int, store: str, expected: torch.Tensor) -> None:
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=PROCESSES)
    encoder, views, labels = whole_batch()
    own = slice(rank * ROWS // PROCESSES, (rank + 1) * ROWS // PROCESSES)
    model = DistributedDataParallel(encoder)
    loss = SupConLoss(temperature=0.1, gather_distributed=True)(model(views[own]), labels[own])
    loss.backward()  # no rescaling: DistributedDataParallel averages, and the loss takes that into account
    torch.testing.assert_close(encoder.weight.grad, expected)
    print(f"process {rank}: loss {loss.item():.4f}, the gradient of the whole batch", flush=True)
    del model, loss  # gloo's threads must end before the interpreter does, and these hold on to them
    gc.collect()
    dist.destroy_process_group()


if __name__ == "__main__":
    import tempfile

    encoder, views, labels = whole_batch()
    loss = SupConLoss(temperature=0.1)(encoder(views), labels)
    loss.backward()
    print(f"one process: loss {loss.item():.4f}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        spawn(work, (f"{folder}/store", encoder.weight.grad), nprocs=PROCESSES)

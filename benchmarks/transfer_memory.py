"""Memory of a step of fine-tuning against the estimate by which `supcon transfer` chooses its micro-batch.

`python benchmarks/transfer_memory.py [ENCODER SIZE BATCH]`: each case runs in a process of its own, without data.
"""

import subprocess
import sys

import torch

from supcon.base.freed_memory import use_memory_again
from supcon.base.memory import peak_memory, process_memory
from supcon.encoder import make_encoder
from supcon.jobs.planning.activation_memory import activation_bytes, weight_bytes
from supcon.jobs.transfer_learning.config import Candidate
from supcon.jobs.transfer_learning.fine_tune import backward_in_parts, make_optimizer
from supcon.jobs.transfer_learning.transfer_network import Transferred

CASES = (
    ("small-resnet", 32, 64),
    ("small-resnet", 96, 256),
    ("small-resnet", 224, 64),
    ("resnet18", 32, 256),
    ("resnet18", 96, 128),
    ("resnet18", 224, 16),
    ("resnet50", 224, 16),
    ("timm:tf_efficientnet_lite0", 96, 64),
    ("timm:tf_efficientnet_lite2", 224, 32),
    ("timm:vit_tiny_patch16_224", 224, 32),
)


def measure(name: str, size: int, batch: int) -> None:
    """Prints the peak of two steps above what the process had before, and the estimate."""
    use_memory_again()  # as the command does
    encoder = make_encoder(name, channels=3, image_size=size, mean=(0.5,) * 3, std=(0.2,) * 3, width=24)
    estimate = weight_bytes(encoder) + batch * activation_bytes(encoder, 3, size)
    images = torch.randint(0, 256, (batch, 3, size, size), dtype=torch.uint8)
    labels = torch.randint(0, 10, (batch,))
    before = process_memory()
    model = Transferred(encoder, 10, normalize=False).train()
    optimizer = make_optimizer(model, Candidate(0.01, 1e-4))
    for _ in range(2):
        optimizer.zero_grad()
        backward_in_parts(model, images, labels, 1)
        optimizer.step()
    taken = peak_memory() - before
    print(
        f"{name}, {size} pixels, batch {batch}: {taken / 1e9:.2f} GB measured, {estimate / 1e9:.2f} GB estimated, "
        f"ratio {estimate / taken:.2f}"
    )


if __name__ == "__main__":
    if len(sys.argv) == 4:
        measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    else:
        for case in CASES:
            subprocess.run([sys.executable, __file__, *map(str, case)], check=True)

"""A batch that does not fit: the encoder sees 32 images at a time, the loss all of them, and the gradient is exact."""

import torch

from supcon.losses import SupConLoss
from supcon.stages import in_micro_batches

torch.manual_seed(0)
first = torch.nn.Linear(64, 512)
encoder = torch.nn.Sequential(first, torch.nn.ReLU(), torch.nn.Linear(512, 32))
contrastive = SupConLoss(temperature=0.1)
views, labels = torch.randn(256, 2, 64), torch.arange(256) % 10


def gradient(size: int | None) -> torch.Tensor:
    """The gradient of the first layer; each part of `size` images runs twice, and only one at a time is in memory."""
    loss = contrastive(in_micro_batches(encoder, views, size), labels)
    (found,) = torch.autograd.grad(loss, first.weight)
    print(f"{size or len(views)} images at a time: loss {loss.item():.4f} of 512 rows")
    return found


in_parts, at_once = gradient(32), gradient(None)
print(f"largest difference of the gradients, relative: {(in_parts - at_once).abs().max() / at_once.abs().max():.0e}")

"""Fine-tuning by SimCLR's protocol (Chen et al., 2020, B.8): SGD with Nesterov momentum, crops and flips."""

from collections.abc import Callable, Iterator
from itertools import count

import torch
from torch import Tensor, nn
from torch.optim import SGD
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader

from supcon.data import Split, training_loader
from supcon.encoder import Encoder
from supcon.jobs.transfer_learning.config import Candidate, TransferConfig
from supcon.jobs.transfer_learning.task_metrics import classification_loss
from supcon.jobs.transfer_learning.transfer_network import Transferred
from supcon.stages import WorkerTransform, view_generator
from supcon.views import CropFlip, WorkerViews

MOMENTUM = 0.9


def fine_tune(
    encoder: Encoder,
    classes: int,
    split: Split,
    image_size: int,
    config: TransferConfig,
    candidate: Candidate,
    *,
    seed: int = 0,
    advance: Callable[..., None] = lambda **_: None,
) -> Transferred:
    """A copy of `encoder` with a new classifier, trained for `config.steps`.

    The input of the classifier is the representation before normalisation, as in SimCLR. The learning rate decays to
    zero by a cosine schedule (B.8 does not give one). Training stops early if the loss is NaN or infinite. With
    `config.micro_batch`, gradients are added over parts of a batch: the step of the whole batch, except that batch norm
    uses the statistics of each part.
    """
    torch.manual_seed(seed)
    model = Transferred(encoder, classes, normalize=False).train()
    crops = CropFlip(image_size, crop_area=config.crop_area, flip_probability=config.flip_probability)
    # Photographs that keep their shapes are cropped one by one, in the loader's workers.
    in_workers = WorkerTransform(WorkerViews(crops, 1), seed, "transfer") if split.shape is None else None
    batch = min(config.batch_size, len(split))
    loader = training_loader(split, batch, seed, in_workers)
    parts = -(-batch // (config.micro_batch or batch))
    set_batch_norm_momentum(model, len(loader), parts)
    optimizer = make_optimizer(model, candidate)
    schedule = CosineAnnealingLR(optimizer, config.steps)
    device = encoder.mean.device
    for step, (images, labels) in zip(range(config.steps), _endless(loader), strict=False):
        images = images.to(device)
        views = images.flatten(0, 1) if in_workers else crops(images, view_generator(seed, "transfer", step))
        optimizer.zero_grad()
        loss = backward_in_parts(model, views, labels.to(device), parts)
        if not torch.isfinite(loss):
            advance(steps=config.steps - step)
            break
        optimizer.step()
        schedule.step()
        advance(steps=1)
    return model.eval()


def backward_in_parts(model: nn.Module, views: Tensor, labels: Tensor, parts: int) -> Tensor:
    """Adds the gradient of the mean loss to that of the parameters, with one of `parts` in memory; returns the loss.

    Parts are nearly equal: a last one of a single image would have no batch statistics.
    """
    total = torch.zeros((), device=labels.device)
    for some, own in zip(views.tensor_split(parts), labels.tensor_split(parts), strict=True):
        loss = classification_loss(model(some), own) * (len(own) / len(labels))
        loss.backward()
        total += loss.detach()
    return total


def _endless(loader: "DataLoader[tuple[Tensor, Tensor]]") -> Iterator[tuple[Tensor, Tensor]]:
    """Repeats the loader, with the next epoch's shuffling each time."""
    for epoch in count():
        loader.sampler.set_epoch(epoch)  # type: ignore[attr-defined]
        yield from loader


def make_optimizer(model: nn.Module, candidate: Candidate) -> SGD:
    """SGD with Nesterov momentum. Weight decay is divided by the learning rate (B.8); 1-d parameters have none."""
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    groups = [
        {"params": [p for p in parameters if p.ndim > 1], "weight_decay": candidate.weight_decay / candidate.lr},
        {"params": [p for p in parameters if p.ndim <= 1], "weight_decay": 0.0},
    ]
    return SGD(groups, lr=candidate.lr, momentum=MOMENTUM, nesterov=True)


def set_batch_norm_momentum(model: nn.Module, steps_per_epoch: int, parts: int = 1) -> None:
    """Sets the momentum to max(1 - 10 / steps per epoch, 0.9) (B.8); torch's `momentum` is 1 minus that.

    If a batch goes through the network in `parts`, they keep that share together.
    """
    for module in model.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            module.momentum = 1 - max(1 - 10 / steps_per_epoch, 0.9) ** (1 / parts)


def has_batch_norm(model: nn.Module) -> bool:
    """Whether the output for an image depends on the others of its batch while the model is trained."""
    return any(isinstance(module, nn.modules.batchnorm._BatchNorm) for module in model.modules())

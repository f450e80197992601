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
    zero by a cosine schedule (B.8 does not give one). Training stops early if the loss is NaN or infinite.
    """
    torch.manual_seed(seed)
    model = Transferred(encoder, classes, normalize=False).train()
    crops = CropFlip(image_size, crop_area=config.crop_area, flip_probability=config.flip_probability)
    # Photographs that keep their shapes are cropped one by one, in the loader's workers.
    in_workers = WorkerTransform(WorkerViews(crops, 1), seed, "transfer") if split.shape is None else None
    loader = training_loader(split, min(config.batch_size, len(split)), seed, in_workers)
    set_batch_norm_momentum(model, steps_per_epoch=len(loader))
    optimizer = make_optimizer(model, candidate)
    schedule = CosineAnnealingLR(optimizer, config.steps)
    device = encoder.mean.device
    for step, (images, labels) in zip(range(config.steps), _endless(loader), strict=False):
        images = images.to(device)
        views = images.flatten(0, 1) if in_workers else crops(images, view_generator(seed, "transfer", step))
        loss = classification_loss(model(views), labels.to(device))
        if not torch.isfinite(loss):
            advance(steps=config.steps - step)
            break
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        advance(steps=1)
    return model.eval()


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


def set_batch_norm_momentum(model: nn.Module, steps_per_epoch: int) -> None:
    """Sets the momentum to max(1 - 10 / steps per epoch, 0.9) (B.8); torch's `momentum` is 1 minus that."""
    for module in model.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            module.momentum = 1 - max(1 - 10 / steps_per_epoch, 0.9)

"""Stage 1 as a training loop like the authors' PyTorch code: PIL images, torchvision transforms in two worker
processes, both views concatenated, the dense loss, tensors in their default memory format, plain SGD."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import _dense_losses as dense
import torch
from PIL import Image
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms

from supcon.views.kernels.torchvision_kernels import to_pil

WORKERS = 2


class TwoViews(Dataset[tuple[list[Tensor], int]]):
    """Applies the same transforms twice to every image."""

    def __init__(self, images: Tensor, labels: Tensor) -> None:
        self.images: list[Image.Image] = [to_pil(image) for image in images]
        self.labels = labels.tolist()
        self.transform = transforms.Compose(
            [
                transforms.RandomResizedCrop(32, scale=(0.2, 1.0)),
                transforms.RandomHorizontalFlip(),
                transforms.RandomApply([transforms.ColorJitter(0.4, 0.4, 0.4, 0.1)], p=0.8),
                transforms.RandomGrayscale(p=0.2),
                transforms.ToTensor(),
                transforms.Normalize((0.5, 0.5, 0.5), (0.25, 0.25, 0.25)),
            ]
        )

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: int) -> tuple[list[Tensor], int]:
        image = self.images[index]
        return [self.transform(image), self.transform(image)], self.labels[index]


def make_step(network: nn.Module, projection: nn.Module) -> Callable[[Tensor, Tensor], Any]:
    """One optimizer step of rows [view, image] with the labels of the images."""
    parameters = [*network.parameters(), *projection.parameters()]
    optimizer = torch.optim.SGD(parameters, lr=0.05, momentum=0.9, weight_decay=1e-4)

    def step(rows: Tensor, labels: Tensor) -> None:
        projections = projection(nn.functional.normalize(network(rows), dim=1))
        loss = dense.textbook(projections, labels.repeat(2))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def epochs(
    network: nn.Module, projection: nn.Module, images: Tensor, labels: Tensor, batch_size: int
) -> Iterator[float]:
    """Seconds of each epoch; the workers are kept between epochs."""
    loader = DataLoader(
        TwoViews(images, labels),
        batch_size=batch_size,
        shuffle=True,
        drop_last=True,
        num_workers=WORKERS,
        persistent_workers=True,
    )
    step = make_step(network.train(), projection)
    while True:
        start = time.perf_counter()
        for views, targets in loader:
            step(torch.cat(views), targets)
        yield time.perf_counter() - start

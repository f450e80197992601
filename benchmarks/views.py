"""Views per second on one core, compared with the same pipelines of torchvision on PIL images.

At 32 pixels the batched engine takes uint8 tensors; at 224 both sides take PIL images of 256 pixels, as decoded by a
loader's workers. Both sides return uint8 tensors. The warp, which torchvision does not have, is left out on both sides
and measured separately. Both sides are timed alternately; the best time of each is reported.

    python benchmarks/views.py [--quick] [--json F] [--store]
"""

import os
import resource
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from _table import Figure, benchmark
from PIL import Image
from torch import Tensor
from torch.nn.functional import interpolate
from torchvision import transforms

from supcon.encoder.encoder import make_encoder
from supcon.losses import SupConLoss
from supcon.views import ViewsConfig, WorkerViews, make_augmentation, make_views
from supcon.views.config import AugmentationName
from supcon.views.kernels.torchvision_kernels import to_pil


def photographs(count: int, side: int) -> Tensor:
    """Smooth colours with some noise: the time depends on the size of the images, not on their content."""
    generator = torch.Generator().manual_seed(0)
    coarse = torch.rand(count, 3, 6, 6, generator=generator)
    smooth = interpolate(coarse, size=(side, side), mode="bicubic", align_corners=False)
    noise = torch.rand(count, 3, side, side, generator=generator) * 0.1
    return (smooth + noise).clamp(0, 1).mul(255).to(torch.uint8)


def pipelines(side: int) -> dict[str, tuple[ViewsConfig, list[Any]]]:
    """Each augmentation, ours and torchvision's, with crop and flip first."""
    still: dict[str, Any] = {"crop_area": (0.2, 1.0), "warp_probability": 0.0}
    tv_set: dict[str, Any] = {"rand_augment_operations": "torchvision", "rand_augment_magnitude": 9}
    crop = [transforms.RandomResizedCrop(side, scale=(0.2, 1.0)), transforms.RandomHorizontalFlip()]
    colour = [
        transforms.RandomApply([transforms.ColorJitter(0.4, 0.4, 0.4, 0.1)], p=0.8),
        transforms.RandomGrayscale(0.2),
    ]
    kernel = side // 10 // 2 * 2 + 1
    blur = [transforms.RandomApply([transforms.GaussianBlur(kernel, (0.1, 2.0))], p=0.5)]
    rand = [transforms.RandAugment(2, 9)]
    return {
        "sim-augment without blur": (ViewsConfig(**still, blur_probability=0.0), crop + colour),
        "sim-augment": (ViewsConfig(**still), crop + colour + blur),
        "auto-augment": (
            ViewsConfig(**still, augmentation="auto-augment", auto_augment_policy="imagenet"),
            [*crop, transforms.AutoAugment()],
        ),
        "rand-augment": (ViewsConfig(**still, **tv_set, augmentation="rand-augment"), crop + rand),
        "stacked-rand-augment": (
            ViewsConfig(**still, **tv_set, augmentation="stacked-rand-augment"),
            crop + rand + colour + blur,
        ),
    }


def seconds(run: Callable[[], object]) -> float:
    """Of the clock."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def in_turns(ours: Callable[[], object], theirs: Callable[[], object], rounds: int) -> tuple[list[float], list[float]]:
    """The times of both sides in ascending order, measured alternately, so that both have the same load."""
    times = [(seconds(ours), seconds(theirs)) for _ in range(rounds + 1)][1:]
    return sorted(time for time, _ in times), sorted(time for _, time in times)


def against_torchvision(side: int, count: int, few: int, rounds: int) -> list[Figure]:
    """Views per second; torchvision gets only the first `few` images, since it processes them one by one."""
    stored = side if side <= 64 else round(side * 8 / 7)
    images = photographs(count, stored)
    pictures = [to_pil(image) for image in images[:few]]
    rows = []
    for name, (config, steps) in pipelines(side).items():
        theirs = transforms.Compose([*steps, transforms.PILToTensor()])
        ours, amount = _our_engine(config, side, images, pictures)
        our_times, their_times = in_turns(ours, partial(_apply_to_each, theirs, pictures), rounds)
        rows.append(
            Figure(
                name=f"{name}, {side} x {side}",
                value=amount / our_times[0],
                unit="views/s per core",
                peer="torchvision, PIL",
                peer_value=few / their_times[0],
                smaller_is_better=False,
                spread=our_times[len(our_times) // 2] / our_times[0] - 1,
            )
        )
    return rows


def _apply_to_each(pipeline: Callable[[Image.Image], Tensor], pictures: list[Image.Image]) -> list[Tensor]:
    return [pipeline(picture) for picture in pictures]


def _our_engine(
    config: ViewsConfig, side: int, images: Tensor, pictures: list[Image.Image]
) -> tuple[Callable[[], object], int]:
    """The engine that `auto` chooses: batches for small images, single images in workers for large ones."""
    augmentation = make_augmentation(config, side, 3)
    generator = torch.Generator().manual_seed(0)
    if side <= 64:
        return lambda: augmentation(images, generator=generator), len(images)
    per_image = WorkerViews(augmentation, count=2)
    return partial(_apply_to_each, partial(per_image, generator=generator), pictures), 2 * len(pictures)


def with_everything(count: int, rounds: int) -> list[Figure]:
    """The authors' augmentations at 32 pixels, with the warp and their operations, which no peer has."""
    images, rows = photographs(count, 32), []
    names: tuple[AugmentationName, ...] = ("sim-augment", "auto-augment", "rand-augment", "stacked-rand-augment")
    for name in names:
        augmentation = make_augmentation(ViewsConfig(augmentation=name), 32, 3)
        best = min(seconds(partial(augmentation, images)) for _ in range(rounds + 1))
        title = f"{name} with the authors' defaults, 32 x 32"
        rows.append(Figure(name=title, value=count / best, unit="views/s per core"))
    return rows


def share_of_a_step(batch: int, rounds: int, threads: int) -> Figure:
    """The share of a stage 1 step at 32 pixels that is spent on views, with the default small encoder."""
    torch.set_num_threads(threads)
    images, labels = photographs(batch, 32), torch.arange(batch) % 10
    encoder = make_encoder("small-resnet", channels=3, image_size=32, mean=[0.5] * 3, std=[0.25] * 3)
    projection = torch.nn.Linear(encoder.width, 128)
    augmentation = make_augmentation(ViewsConfig(), 32, 3)
    loss = SupConLoss(temperature=0.1)
    views = make_views(images, augmentation)

    def learn() -> None:
        projections = projection(encoder(views.flatten(0, 1))).unflatten(0, views.shape[:2])
        loss(projections, labels).backward()

    making, learning = (best[0] for best in in_turns(lambda: make_views(images, augmentation), learn, rounds))
    title = f"share of a training step on {threads} thread{'s' * (threads > 1)}, sim-augment, 32 x 32"
    return Figure(name=title, value=100 * making / (making + learning), unit="%")


def memory(batch: int) -> Figure:
    """Additional memory besides the images and their views, in units of the batch of views."""
    augmentation = make_augmentation(ViewsConfig(augmentation="stacked-rand-augment"), 32, 3)
    augmentation(photographs(64, 32))
    images = torch.randint(0, 256, (batch, 3, 32, 32), dtype=torch.uint8)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    views = augmentation(images)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 - views.numel()
    title = f"memory beyond the views of {batch:,} images"
    return Figure(name=title, value=max(0.0, grown) / views.numel(), unit="batches")


def measure(quick: bool) -> list[Figure]:
    """All of it, on one core but for the last figure."""
    torch.set_num_threads(1)
    rounds = 2 if quick else 7
    rows = [memory(4096 if quick else 16384)]
    rows += against_torchvision(32, count=512, few=64 if quick else 256, rounds=rounds)
    rows += with_everything(512, rounds)
    rows += against_torchvision(224, count=48 if quick else 128, few=48 if quick else 128, rounds=rounds)
    batch = 64 if quick else 256
    return [*rows, share_of_a_step(batch, rounds, 1), share_of_a_step(batch, rounds, os.cpu_count() or 1)]


if __name__ == "__main__":
    benchmark(__doc__ or "", measure)

"""Training on images of CIFAR-10's size: steps, epochs, micro-batches, stage 2, and the cost of the diagnostics.

An epoch is compared with a loop like the authors' (PIL transforms in two workers, dense loss, default memory format)
with the same network and number of images; a step is compared without making views. Each side runs in its own process,
where ours keeps freed memory like `supcon train`. Measured alternately on all cores; the best of each is reported. Peak
memory is the additional memory of the steps, in a separate process.

    python benchmarks/training.py [--quick] [--json F] [--store]
"""

import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import _peak_memory as peak_memory
import torch
from _authors_loop import epochs as authors_epochs
from _authors_loop import make_step as authors_step
from _table import Figure, benchmark
from torch import Tensor, nn
from torch.nn.functional import interpolate

from supcon.base.freed_memory import use_memory_again
from supcon.base.metrics_table import read_metrics
from supcon.data.image_data import ImageData, Split
from supcon.encoder.encoder import make_encoder
from supcon.jobs.model_outputs import encode_training_images
from supcon.losses import LossConfig, SupConLoss
from supcon.projection.projection import Projection
from supcon.stages.callbacks.diagnostics import gradient_norm
from supcon.stages.callbacks.projection_statistics import similarity_metrics
from supcon.stages.config import HardwareConfig, OptimizerConfig, Stage1Config, Stage2Config
from supcon.stages.gradient_cache import in_micro_batches
from supcon.stages.linear_stage import make_classifier
from supcon.stages.methods import METHODS
from supcon.stages.run_context import RunContext
from supcon.stages.stage1 import Networks, Stage1Settings, train_encoder
from supcon.stages.stage2 import train_classifier
from supcon.views import MixConfig, ViewsConfig, make_augmentation, make_views

CLASSES, SIDE, BATCH = 10, 32, 128
MEAN, STD = (0.5, 0.5, 0.5), (0.25, 0.25, 0.25)
VIEWS = ViewsConfig(crop_area=(0.2, 1.0), warp_probability=0.0, blur_probability=0.0)
"""The authors' transforms for CIFAR-10, which have no blur."""
SGD = OptimizerConfig(lr=0.05)
ENCODERS: tuple[str, ...] = ("small-resnet", "resnet18")


def make_images(count: int) -> Split:
    """Smooth colours with some noise, and labels."""
    generator = torch.Generator().manual_seed(0)
    smooth = interpolate(torch.rand(count, 3, 6, 6, generator=generator), size=(SIDE, SIDE), mode="bicubic")
    noise = torch.rand(count, 3, SIDE, SIDE, generator=generator) * 0.1
    labels = torch.randint(0, CLASSES, (count,), generator=generator)
    return Split(images=(smooth + noise).clamp(0, 1).mul(255).to(torch.uint8), labels=labels)


def make_networks(name: str) -> Networks:
    """Encoder, projection and classifier with random weights."""
    torch.manual_seed(0)
    encoder = make_encoder(name, channels=3, image_size=SIDE, mean=MEAN, std=STD)
    return Networks(
        encoder=encoder, projection=Projection(encoder.width), classifier=make_classifier(encoder.width, CLASSES)
    )


def default_network(name: str) -> tuple[nn.Module, nn.Module]:
    """The same network and projection in torch's default memory format."""
    parts = make_networks(name)
    return parts.encoder.network.to(memory_format=torch.contiguous_format), parts.projection


def run_context(split: Split) -> RunContext:
    """The split as a data set; its other splits are not used."""
    few = Split(images=split.images[:BATCH], labels=split.labels[:BATCH])
    names = tuple(map(str, range(CLASSES)))
    data = ImageData(
        name="noise", class_names=names, train=split, validation=few, test=few, image_size=SIDE, mean=MEAN, std=STD
    )
    return RunContext(data=data, hardware=HardwareConfig(), seed=0)


# Epochs


def our_epochs(name: str, split: Split, count: int) -> list[float]:
    """Seconds of each epoch of stage 1, as a run trains it, from its own metrics.csv."""
    settings = Stage1Settings(
        method_spec=METHODS["supcon"],
        loss=LossConfig(),
        views=VIEWS,
        mix=MixConfig(),
        stage=Stage1Config(epochs=count, batch_size=BATCH, optimizer=SGD, knn_every=0),
        classifier=Stage2Config(),
        probe=lambda encode: {},
    )
    with tempfile.TemporaryDirectory() as folder:
        train_encoder(make_networks(name), settings, run_context(split), Path(folder))
        return [row["seconds"] for row in read_metrics(Path(folder) / "metrics.csv").values()]


def print_epoch(side: str, name: str, images: int) -> None:
    """In a separate process: images per second of the best epoch, after one warm-up epoch."""
    split, count = make_images(images), 3 if name == "small-resnet" else 2
    if side == "ours":
        taken = our_epochs(name, split, count)
    else:
        taken = list(islice(authors_epochs(*default_network(name), split.images[:], split.labels, BATCH), count))
    print(images / min(taken[1:]))


# Steps


def our_step(parts: Networks, size: int | None = None) -> Callable[[Tensor, Tensor], Any]:
    """One optimizer step of rows [image, view]; `size` rows at a time."""
    modules = nn.ModuleList([parts.encoder, parts.projection]).train()
    optimizer = torch.optim.SGD(modules.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    loss = SupConLoss(rescale="temperature")

    def step(rows: Tensor, labels: Tensor) -> None:
        projections = parts.projection(in_micro_batches(parts.encoder, rows, size))
        optimizer.zero_grad()
        loss(projections.unflatten(0, (-1, 2)), labels).backward()
        optimizer.step()

    return step


def print_step(side: str, name: str, rounds: int) -> None:
    """In a separate process: images per second of network, loss and optimizer, with views that are already made."""
    split = make_images(BATCH)
    rows = split.images[:].repeat_interleave(2, 0)
    if side == "ours":
        step = partial(our_step(make_networks(name)), rows, split.labels)
    else:
        floats = ((rows.float() / 255 - 0.5) / 0.25).unflatten(0, (-1, 2)).transpose(0, 1).flatten(0, 1).contiguous()
        step = partial(authors_step(*default_network(name)), floats, split.labels)
    print(BATCH / min([seconds(step) for _ in range(rounds + 1)][1:]))


def seconds(job: Callable[[], Any]) -> float:
    """Seconds of a call."""
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def in_turns(what: str, name: str, number: int, rounds: int) -> Figure:
    """Images per second of steps or epochs, each side in its own process, measured alternately."""
    found: dict[str, list[float]] = {"ours": [], "theirs": []}
    for _ in range(rounds):
        for side, speeds in found.items():
            speeds.append(peak_memory.in_own_process(__file__, what, side, name, str(number)))
    ours, theirs = found["ours"], found["theirs"]
    return Figure(
        name=f"{what}, {name}",
        value=max(ours),
        unit="images/s",
        peer="authors' loop",
        peer_value=max(theirs),
        smaller_is_better=False,
        spread=max(ours) / median(ours) - 1,
    )


# Any batch size


def batches(images: int, batch: int, micro_batch: int | None) -> Callable[[], None]:
    """Steps of this number of images, including their views, over all images once."""
    split, augmentation = make_images(images), make_augmentation(VIEWS, SIDE, 3)
    step = our_step(make_networks("small-resnet"), None if micro_batch is None else 2 * micro_batch)

    def run() -> None:
        for start in range(0, images, batch):
            part = slice(start, start + batch)
            step(make_views(split.images[part], augmentation).flatten(0, 1), split.labels[part])

    return run


def micro_batch_figures(images: int) -> list[Figure]:
    """One batch in micro-batches, compared with plain steps of the micro-batch's size."""
    plain, cached = batches(images // 2, BATCH, None), batches(images, images, BATCH)
    halves = [seconds(plain)]
    cached_seconds = seconds(cached)
    halves.append(seconds(plain))  # before and after, so that a slower moment of the machine meets both
    plain_seconds = sum(halves)
    memory = [
        peak_memory.in_own_process(__file__, "memory", str(images), str(batch), str(micro_batch))
        for batch, micro_batch in ((images, BATCH), (BATCH, 0))
    ]
    name, peer = f"batch {images:,} by {BATCH}, small-resnet", f"plain steps of {BATCH}"
    return [
        Figure(name=f"{name}, time", value=cached_seconds, unit="s", peer=peer, peer_value=plain_seconds),
        Figure(name=f"{name}, peak memory", value=memory[0], unit="MB", peer=peer, peer_value=memory[1]),
    ]


def print_memory(images: int, batch: int, micro_batch: int) -> None:
    """In a separate process: the peak memory of one step, or of four plain ones, after a small step."""
    batches(8, 8, None)()
    job = batches(images if micro_batch else 4 * batch, batch, micro_batch or None)
    before = peak_memory.start()
    job()
    print(peak_memory.beyond(before))


# Stage 2


def stage_2_figure(images: int) -> Figure:
    """An epoch on cached representations, compared with one on views."""
    split, parts = make_images(images), make_networks("small-resnet")
    encode_split = partial(encode_training_images, image_size=SIDE)
    best = {}
    for cached, epochs in ((True, 6), (False, 2)):
        stage = Stage2Config(epochs=epochs, batch_size=BATCH, cached=cached)
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder)
            context = run_context(split)
            train_classifier(parts.encoder, parts.classifier, stage, context, target, encode_split=encode_split)
            best[cached] = min(row["seconds"] for row in read_metrics(target / "metrics.csv").values())
    return Figure(
        name=f"stage 2, an epoch of {images:,} images, small-resnet",
        value=best[True],
        unit="s cached",
        peer="on views",
        peer_value=best[False],
    )


# Watching


def watching_figure(name: str, rounds: int) -> Figure:
    """The cost of the diagnostics if every step is sampled; in epochs of more than 20 steps it is lower."""
    split, parts = make_images(BATCH), make_networks(name)
    step, rows = our_step(parts), split.images[:].repeat_interleave(2, 0)
    projections = torch.randn(BATCH, 2, 128)
    modules: Any = nn.ModuleList([parts.encoder, parts.projection])

    def watch() -> None:
        gradient_norm(modules)
        torch.stack(list(similarity_metrics(projections, split.labels).values())).tolist()

    step(rows, split.labels)
    steps = min(seconds(partial(step, rows, split.labels)) for _ in range(rounds))
    watched = min(seconds(watch) for _ in range(20))
    return Figure(name=f"watching every step, {name}", value=100 * watched / steps, unit="% of a step")


def measure(quick: bool) -> list[Figure]:
    """All of it."""
    if quick:
        figures = [in_turns("step", "small-resnet", 2, 1), in_turns("epoch", "small-resnet", 2 * BATCH, 1)]
        return [*figures, *micro_batch_figures(4 * BATCH), stage_2_figure(4 * BATCH), watching_figure(ENCODERS[0], 2)]
    figures = [in_turns("step", "small-resnet", 5, 3), in_turns("step", "resnet18", 2, 2)]
    figures += [in_turns("epoch", "small-resnet", 6 * BATCH, 3), in_turns("epoch", "resnet18", 3 * BATCH, 2)]
    figures += micro_batch_figures(4096)
    figures += [stage_2_figure(20 * BATCH), *(watching_figure(name, 2) for name in ENCODERS)]
    return figures


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if "theirs" not in sys.argv:
        use_memory_again()
    called = {"memory": print_memory, "epoch": print_epoch, "step": print_step}.get(sys.argv[1] if sys.argv[1:] else "")
    if called is not None:
        called(*(int(word) if word.isdigit() else word for word in sys.argv[2:]))  # type: ignore[operator]
    else:
        benchmark(__doc__ or "", measure)

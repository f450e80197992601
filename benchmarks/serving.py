"""Using a trained model: embedding files, searching, and predicting one image, each beside the bare work in it.

Embedding: `supcon.embed` of 10,000 CIFAR-10 JPEG files with the small encoder, beside a DataLoader that decodes the
same files with Pillow in as many processes and an encoder that gets its batches, whose results are thrown away. The
files are unpacked from `../shared/data/cifar10-images.zip`, or found where SUPCON_CIFAR10_JPEG says.

Search: the ten nearest of 50,000 for 1,000 queries, beside the matrix product alone, in the same chunks.

One image: `supcon predict RUN image.jpg` as a command, beside a Python process that imports torch and torchvision,
makes the same network (torchvision's ResNet-18), loads the weights and runs it once.

Inference: EfficientNet-Lite2 and a ResNet-50 on a batch of images, which the encoder takes a few at a time, beside its
network on all of them at once.

Best of the rounds, in turns.

    python benchmarks/serving.py [--quick] [--json F]
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch
from _table import Figure, benchmark
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

import supcon
from data import find_images
from supcon.base.atomic_files import write_json, write_yaml
from supcon.encoder import make_encoder
from supcon.runs import Run, create_run
from supcon.serving import Model, ModelCard, most_similar_rows, save_model

BATCH, WORKERS = 512, 2
QUERIES, GALLERY, K, CHUNK = 1_000, 50_000, 10, 335
"""The chunk is the one that `most_similar_rows` chooses for this gallery."""
BARE_PREDICT = """
import sys, torch, torchvision
network = torchvision.models.resnet18(num_classes=10).eval()
network.load_state_dict(torch.load(sys.argv[1]))
with torch.inference_mode():
    network(torch.zeros(1, 3, 32, 32))
"""


def make_run(folder: Path, encoder: str) -> tuple[Run, Model]:
    """A finished run with random weights, of CIFAR-10's classes."""
    card = ModelCard(
        recipe="cifar10",
        method="supcon",
        data="cifar10",
        class_names=tuple("0123456789"),
        channels=3,
        image_size=32,
        stored_size=32,
        mean=(0.5, 0.5, 0.5),
        std=(0.25, 0.25, 0.25),
        counts={},
        encoder={"name": encoder},
    )
    network = card.make_encoder()
    model, run = Model(network, nn.Linear(network.width, 10), card), create_run(folder)
    write_yaml(run.recipe_file, {"recipe": "cifar10"})
    save_model(run, model)
    write_json(run.evaluation_file, {})
    return run, model


class Decoded(Dataset[Tensor]):
    """Files decoded by Pillow, and nothing else."""

    def __init__(self, files: list[Path]) -> None:
        self.files = files

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, at: int) -> Tensor:
        with Image.open(self.files[at]) as image:
            return torch.from_numpy(np.asarray(image.convert("RGB")).transpose(2, 0, 1).copy())


@torch.inference_mode()
def bare_embedding(model: Model, files: list[Path]) -> None:
    """Decoder and encoder alone."""
    for images in DataLoader(Decoded(files), BATCH, num_workers=WORKERS):
        model.encoder(images)


def bare_product(queries: NDArray[np.float32], bank: NDArray[np.float32]) -> None:
    """Every similarity, and nothing done with it."""
    rows = torch.from_numpy(bank).T
    for part in torch.from_numpy(queries).split(CHUNK):
        part @ rows


def seconds(run: Callable[[], object]) -> float:
    """How long it takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def in_turns(ours: Callable[[], object], peer: Callable[[], object], rounds: int) -> tuple[float, float]:
    """The best time of each."""
    times = [(seconds(ours), seconds(peer)) for _ in range(rounds)]
    return min(one for one, _ in times), min(other for _, other in times)


def embedding(folder: Path, images: Path, count: int, rounds: int) -> list[Figure]:
    """Images a second."""
    run, model = make_run(folder / "small", "small-resnet")
    files = sorted((images / "test").rglob("*.jpg"))[:count]
    some = folder / "files"
    some.mkdir()
    for at, file in enumerate(files):
        (some / f"{at:05}.jpg").symlink_to(file.resolve())
    ours, peer = in_turns(
        lambda: supcon.embed(run.path, str(some), out=folder / "e.npz", device="cpu"),
        lambda: bare_embedding(model, files),
        rounds,
    )
    return [
        Figure(
            name=f"embed {len(files):,} CIFAR-10 files, small encoder",
            value=len(files) / ours,
            unit="images/s",
            peer="decoder and encoder alone",
            peer_value=len(files) / peer,
            smaller_is_better=False,
        )
    ]


def searching(rounds: int) -> list[Figure]:
    """Seconds, for a narrow and a wide representation."""
    figures = []
    for width in (128, 2048):
        generator = np.random.default_rng(0)
        bank, queries = (generator.normal(size=(n, width)).astype(np.float32) for n in (GALLERY, QUERIES))
        bank /= np.linalg.norm(bank, axis=1, keepdims=True)
        ours, peer = in_turns(
            lambda bank=bank, queries=queries: most_similar_rows(queries, bank, K),  # type: ignore[misc]
            lambda bank=bank, queries=queries: bare_product(queries, bank),  # type: ignore[misc]
            rounds,
        )
        name = f"search {QUERIES:,} in {GALLERY:,}, {width:,} wide"
        figures.append(Figure(name=name, value=ours, unit="s", peer="the bare matrix product", peer_value=peer))
        figures.append(Figure(name=f"{name}, over the bare product", value=ours / peer, unit="times"))
    return figures


def predicting(folder: Path, images: Path, rounds: int) -> list[Figure]:
    """Seconds of the whole process."""
    run, _ = make_run(folder / "resnet18", "resnet18")
    image = next((images / "test").rglob("*.jpg"))
    script, weights = folder / "bare.py", folder / "bare.pth"
    script.write_text(BARE_PREDICT)
    import torchvision

    torch.save(torchvision.models.resnet18(num_classes=10).state_dict(), weights)
    ours, peer = in_turns(
        lambda: _process("-m", "supcon", "predict", str(run.path), str(image)),
        lambda: _process(str(script), str(weights)),
        rounds,
    )
    name = "predict one image, as a command"
    return [
        Figure(name=name, value=ours, unit="s", peer="import torch, torchvision; run once", peer_value=peer),
        Figure(name=f"{name}, over that", value=ours / peer, unit="times"),
    ]


def _process(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)


def inferring(rounds: int) -> list[Figure]:
    """Images a second of a batch on a CPU, with random weights."""
    figures = []
    for name, side, count in (
        ("timm:tf_efficientnet_lite2", 224, 64),
        ("resnet50", 32, 256),
        ("small-resnet", 32, 512),
    ):
        encoder = make_encoder(name, channels=3, image_size=side, mean=(0.5,) * 3, std=(0.25,) * 3).eval()
        images = torch.randint(0, 256, (count, 3, side, side), dtype=torch.uint8)
        inputs = (images - encoder.mean).contiguous(memory_format=encoder.memory_format)
        with torch.inference_mode():
            ours, peer = in_turns(partial(encoder, images), partial(encoder.network, inputs), rounds)
        figures.append(
            Figure(
                name=f"inference, {name.removeprefix('timm:')}, {count} images of {side} pixels",
                value=count / ours,
                unit="images/s",
                peer="all at once",
                peer_value=count / peer,
                smaller_is_better=False,
            )
        )
    return figures


def measure(quick: bool) -> list[Figure]:
    """All figures."""
    rounds = 2 if quick else 5
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        images = find_images(folder / "cifar10")
        return [
            *embedding(folder, images, 2_000 if quick else 10_000, rounds),
            *searching(rounds),
            *predicting(folder, images, rounds),
            *inferring(rounds),
        ]


if __name__ == "__main__":
    benchmark(__doc__, measure)

"""The grid that chose the recipe `photos`: the same settings for SupCon and cross-entropy, on validation images alone.

    python reproduction/photos_grid.py --ants-bees DIR --cifar10 DIR [--part 0/2] [--table]

Both sets are folders with train/CLASS/; test images are not opened. Ants and bees: the first three folds of a
five-fold cross-validation, 147 validation images. CIFAR-10 (JPEG): 100 training and 100 validation images of
every class, scaled to 96 pixels. Results are appended to --out, one line of JSON for every fit; fits that are there are
not repeated, and `--part 0/2` and `--part 1/2` in two processes share the work.

To save time the frozen layers are computed once, for six views of every image; a step draws two of the six.
"""

import argparse
import itertools
import json
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image, ImageOps
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from torch import Tensor, nn

from supcon.encoder import make_encoder
from supcon.losses import SupConLoss
from supcon.recipes import find_recipe
from supcon.views import make_augmentation

ENCODER = "timm:tf_efficientnet_lite2"
VIEWS = 6
STAGES = 7
"""Stages of blocks that the network has."""
RATES = {1: (1e-4, 3e-4, 1e-3), 3: (3e-5, 1e-4, 3e-4)}
"""How many of the last stages are trained, and the learning rates."""


@dataclass(frozen=True)
class Fit:
    """One training: a row of the grid on one fold of one set."""

    data: str
    fold: int
    method: str
    trained: int
    """Trained stages of blocks, counted from the end; the last convolution is always trained."""
    lr: float
    option: float
    """Temperature of SupCon, label smoothing of cross-entropy."""

    @property
    def name(self) -> str:
        return f"{self.data}-{self.method}-{self.trained}-{self.lr:g}-{self.fold}"


@dataclass(frozen=True)
class Pool:
    """Images of one set behind the frozen layers, by how many stages are trained."""

    centre: dict[int, Tensor]
    """[image, ...]: the centre crop of evaluation."""
    views: dict[int, Tensor]
    """[image, view, ...]: of the training images, which are the first ones."""
    labels: Tensor
    folds: list[tuple[np.ndarray, np.ndarray]]
    epochs: int


def fits() -> Iterator[Fit]:
    """Frozen features; then three learning rates for either depth and method, the quick ones first."""
    for data, folds in (("cifar10", 1), ("ants-bees", 3)):
        for fold in range(folds):
            yield Fit(data, fold, "frozen", min(RATES), 0.0, 0.0)
    for trained, rates in RATES.items():
        for data, folds in (("cifar10", 1), ("ants-bees", 3)):
            for lr, fold, method in itertools.product(rates, range(folds), ("supcon", "cross-entropy")):
                yield Fit(data, fold, method, trained, lr, 0.2 if method == "supcon" else 0.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ants-bees", type=Path, required=True)
    parser.add_argument("--cifar10", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("runs/photos_grid.jsonl"))
    parser.add_argument("--part", default="0/1")
    parser.add_argument(
        "--only", default="", help="Only fits whose name, DATA-METHOD-STAGES-RATE-FOLD, has this in it."
    )
    parser.add_argument("--table", action="store_true", help="Print the table of what there is.")
    given = parser.parse_args()
    if not given.table:
        torch.set_num_threads(1)
        part, parts = (int(number) for number in given.part.split("/"))
        chosen = [fit for fit in fits() if given.only in fit.name]
        run(chosen[part::parts], given)
    print(table(given.out))


def run(todo: Sequence[Fit], given: argparse.Namespace) -> None:
    given.out.parent.mkdir(parents=True, exist_ok=True)
    done = [line["fit"] for line in read(given.out)]
    pools = {data: read_pool(data, given) for data in ("ants-bees", "cifar10")}
    for fit in todo:
        if asdict(fit) in done:
            continue
        start = time.perf_counter()
        results = fit_and_measure(fit, pools[fit.data])
        line = {"fit": asdict(fit), "results": results, "seconds": time.perf_counter() - start}
        with given.out.open("a") as file:
            file.write(json.dumps(line) + "\n")
        print(line, flush=True)


def read_pool(data: str, given: argparse.Namespace) -> Pool:
    """From the file that an earlier run has left, if there is one."""
    path = given.out.with_suffix(f".{data}.pt")
    if not path.exists():
        torch.save(ants_bees(given.ants_bees) if data == "ants-bees" else cifar10(given.cifar10), path)
    pool: Pool = torch.load(path, weights_only=False)
    return pool


def ants_bees(root: Path) -> Pool:
    images, labels = read_images(root / "train", 256, count=None)
    folds = StratifiedKFold(5, shuffle=True, random_state=0).split(labels, labels)
    return Pool(*behind_frozen(images, 224, len(labels)), torch.tensor(labels), list(folds), epochs=8)


def cifar10(root: Path) -> Pool:
    images, labels = read_images(root / "train", 96, count=200)
    order = np.argsort(np.tile(np.arange(200) >= 100, 10), kind="stable")
    images, labels = images[order], labels[order]
    return Pool(
        *behind_frozen(images, 96, 1000), torch.tensor(labels), [(np.arange(1000), np.arange(1000, 2000))], epochs=5
    )


def read_images(root: Path, size: int, count: int | None) -> tuple[Tensor, np.ndarray]:
    generator = np.random.default_rng(0)
    images, labels = [], []
    for label, folder in enumerate(sorted(root.iterdir())):
        files = sorted(folder.iterdir())
        for number in generator.permutation(len(files))[:count]:
            image = ImageOps.fit(Image.open(files[number]).convert("RGB"), (size, size), Image.Resampling.BILINEAR)
            images.append(np.asarray(image).transpose(2, 0, 1))
            labels.append(label)
    return torch.tensor(np.stack(images)), np.array(labels)


@torch.no_grad()
def behind_frozen(images: Tensor, size: int, training: int) -> tuple[dict[int, Tensor], dict[int, Tensor]]:
    """The centre crops, and VIEWS random views of the first `training` images, behind the layers that stay frozen."""
    network = pretrained_network().eval()
    augment = make_augmentation(find_recipe("photos").views, size, 3)
    generator = torch.Generator().manual_seed(0)
    margin = (images.shape[-1] - size) // 2
    centre = first_layers(network, images[..., margin : margin + size, margin : margin + size])
    views = [first_layers(network, augment(images[:training], generator=generator)) for _ in range(VIEWS)]
    return centre, {trained: torch.stack([view[trained] for view in views], 1) for trained in RATES}


def pretrained_network() -> nn.Module:
    options = {"channels": 3, "image_size": 224, "mean": (127 / 255,), "std": (128 / 255,)}
    return make_encoder(ENCODER, pretrained=True, **options).network


def first_layers(network: nn.Module, images: Tensor) -> dict[int, Tensor]:
    """What the last stages get to see, by how many of them are trained."""
    found: dict[int, list[Tensor]] = {trained: [] for trained in RATES}
    for part in images.split(50):
        values = ((part.float() - 127) / 128).contiguous(memory_format=torch.channels_last)
        values = network.bn1(network.conv_stem(values))
        for stage, blocks in enumerate(network.blocks):
            if STAGES - stage in RATES:
                found[STAGES - stage].append(values.half())
            values = blocks(values)
    return {trained: torch.cat(parts) for trained, parts in found.items()}


class LastLayers(nn.Module):
    """The trained stages and the last convolution; batch norms keep ImageNet's averages."""

    def __init__(self, trained: int) -> None:
        super().__init__()
        network = pretrained_network()
        self.blocks, self.conv_head, self.bn2 = network.blocks[STAGES - trained :], network.conv_head, network.bn2
        self.eval()

    def forward(self, inputs: Tensor) -> Tensor:
        inputs = inputs.float().contiguous(memory_format=torch.channels_last)
        return self.bn2(self.conv_head(self.blocks(inputs))).mean((2, 3))


def fit_and_measure(fit: Fit, pool: Pool) -> dict[str, dict[str, float]]:
    """Measures of the trained weights, and of their mean with ImageNet's."""
    torch.manual_seed(fit.fold)
    training, validation = pool.folds[fit.fold]
    layers = LastLayers(fit.trained)
    if fit.method == "frozen":
        return {"frozen": measure(pool.centre[fit.trained], pool.labels.numpy(), training, validation, layers)}
    classifier = nn.Linear(1280, int(pool.labels.max()) + 1)
    nn.init.zeros_(classifier.weight)
    before = {name: value.clone() for name, value in layers.state_dict().items()}
    train(fit, pool, torch.tensor(training), layers, classifier)
    results = {"trained": measure(pool.centre[fit.trained], pool.labels.numpy(), training, validation, layers)}
    if fit.method == "cross-entropy":
        with torch.no_grad():
            logits = classifier(layers(pool.centre[fit.trained][validation]))
        results["own classifier"] = judge(logits.softmax(1).numpy(), pool.labels[validation].numpy())
    with torch.no_grad():
        for name, value in layers.state_dict().items():
            if value.is_floating_point():
                value.lerp_(before[name], 0.5)
    results["halfway"] = measure(pool.centre[fit.trained], pool.labels.numpy(), training, validation, layers)
    return results


def train(fit: Fit, pool: Pool, training: Tensor, layers: nn.Module, classifier: nn.Module) -> None:
    centre = nn.BatchNorm1d(1280, affine=False)
    optimizer = torch.optim.AdamW([*layers.parameters(), *classifier.parameters()], lr=fit.lr, weight_decay=1e-4)
    steps = len(training) // 32
    total = steps * pool.epochs
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda step: step / steps if step < steps else 0.5 + 0.5 * math.cos(math.pi * (step - steps) / (total - steps)),
    )
    for _ in range(pool.epochs):
        for chosen in training[torch.randperm(len(training))][: steps * 32].split(32):
            views = torch.rand(32, VIEWS).argsort(1)[:, :2]
            representations = layers(pool.views[fit.trained][chosen[:, None], views].flatten(0, 1))
            labels = pool.labels[chosen]
            if fit.method == "supcon":
                rows = F.normalize(centre(F.normalize(representations, dim=1)), dim=1)
                loss = SupConLoss(fit.option)(rows.unflatten(0, (-1, 2)), labels)
            else:
                loss = F.cross_entropy(
                    classifier(representations), labels.repeat_interleave(2), label_smoothing=fit.option
                )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()


@torch.no_grad()
def measure(
    inputs: Tensor, labels: np.ndarray, training: np.ndarray, validation: np.ndarray, layers: nn.Module
) -> dict[str, float]:
    """Logistic regression on unit vectors, and k-NN."""
    vectors = F.normalize(torch.cat([layers(part) for part in inputs.split(100)]), dim=1).numpy()
    model = LogisticRegression(C=100, max_iter=2000).fit(vectors[training], labels[training])
    results = judge(model.predict_proba(vectors[validation]), labels[validation])
    similarity = vectors[validation] @ vectors[training].T
    near = np.argsort(-similarity, axis=1)[:, :10]
    votes = np.zeros((len(validation), labels.max() + 1))
    rows = np.arange(len(validation))
    for neighbour in near.T:
        votes[rows, labels[training][neighbour]] += np.exp(similarity[rows, neighbour] / 0.1)
    return {**results, "knn": float((votes.argmax(1) == labels[validation]).mean())}


def judge(probabilities: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    own = probabilities[np.arange(len(labels)), labels]
    return {"accuracy": float((probabilities.argmax(1) == labels).mean()), "nll": float(-np.log(own + 1e-9).mean())}


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def table(path: Path) -> str:
    """A row for every setting and way of judging; all folds of ants and bees have the same number of images."""
    lines = read(path)
    rows = [
        "| method | trained stages | rate | judged | ants and bees | NLL | k-NN | CIFAR-10 | NLL | k-NN |",
        "|---" * 10 + "|",
    ]
    settings = {(line["fit"]["method"], line["fit"]["trained"], line["fit"]["lr"]) for line in lines}
    for method, trained, lr in sorted(settings):
        same = [
            line
            for line in lines
            if (line["fit"]["method"], line["fit"]["trained"], line["fit"]["lr"]) == (method, trained, lr)
        ]
        for judged in ("frozen", "own classifier", "trained", "halfway"):
            cells = [entry for data in ("ants-bees", "cifar10") for entry in means(same, data, judged)]
            if any(cells):
                rows.append("| " + " | ".join((method, str(trained), f"{lr:g}", judged, *cells)) + " |")
    return "\n".join(rows)


def means(lines: Sequence[dict], data: str, judged: str) -> tuple[str, str, str]:
    found = [line["results"][judged] for line in lines if line["fit"]["data"] == data and judged in line["results"]]
    if not found:
        return "", "", ""
    mean = {name: float(np.mean([one[name] for one in found])) for name in found[0]}
    knn = f"{100 * mean['knn']:.1f}" if "knn" in mean else ""
    return (
        f"{100 * mean['accuracy']:.1f}" + ("" if len(found) in (1, 3) else f" ({len(found)} folds)"),
        f"{mean['nll']:.3f}",
        knn,
    )


if __name__ == "__main__":
    main()

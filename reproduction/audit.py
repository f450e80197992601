"""Measures how many labels that were flipped on purpose `supcon audit` finds, beside cleanlab, and writes audit.md.

    python reproduction/audit.py --photos ants-bees/ --runs /tmp/audit-runs

Three settings, three seeds each, 10 % of the labels replaced by a random other class:

1. ants and bees (398 photographs, 2 classes), features of EfficientNet-Lite0 with the ImageNet weights that are
   installed with supcon, at 224 pixels;
2. the first 300 training images of each class of Fashion-MNIST, the same features, at 64 pixels;
3. 1,000 training images of each class of Fashion-MNIST, representations of a run that was trained by SupCon with the
   wrong labels (recipe fashion-mnist-small, 10 epochs).

cleanlab gets the probabilities of the logistic regression that is one of the four judgements of the audit: fitted to
the same representations by cross-validation, so that no image is judged by a classifier that has seen its label.

With seed 0 of setting 3, the corrected manifest is trained on too, beside the wrong labels and the right ones.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from cleanlab.rank import get_label_quality_scores
from numpy.typing import NDArray
from torch import nn

import supcon
from supcon.data import DataConfig, ListedImages, list_images
from supcon.encoder import make_encoder, pretrained_statistics
from supcon.jobs import resume, run_images
from supcon.runs import Run
from supcon.serving import Audit, Gallery, Model, ModelCard, audit_images

SHARE, SEEDS, TOP = 0.1, (0, 1, 2), (0.10, 0.15)
RECIPE, PER_CLASS, FEW = "fashion-mnist-small", 1000, 300
RANKINGS = {
    "supcon audit": lambda audit, chances: audit.scores.score,
    "cleanlab, self-confidence": lambda audit, chances: get_label_quality_scores(audit.labels, chances),
    "cleanlab, normalized margin": lambda audit, chances: get_label_quality_scores(
        audit.labels, chances, method="normalized_margin"
    ),
}
PAGE = """# Wrong labels

How many labels that were flipped on purpose (10 %, each replaced by a random other class) are at the top of the ranking
of `supcon audit`, and of [cleanlab](https://github.com/cleanlab/cleanlab) 2.9 with the same model's out-of-sample
probabilities. Mean of three seeds, and each seed. Made by `reproduction/audit.py`, whose docstring describes the three
settings.

{table}

Labels that `--corrected` would change (all four judgements agree on another class, with a mean probability of at least
0.8), for each seed:

{corrections}

Those that were not flipped include labels of the data that may be wrong themselves; nobody has checked them here.

## Training on the corrected labels

Recipe {recipe}, {images} training images, seed 0 alone. The manifest also leaves out training images that are
near-duplicates of validation or test images. The 95 % interval of each accuracy is about 0.7 points to either side, so
that smaller differences, and those of one seed, decide nothing: no gain from the correction is shown here.

{trained}
"""
Found = dict[str, list[tuple[float, ...]]]


def pretrained_model(size: int) -> Model:
    """EfficientNet-Lite0 as it comes, with a classifier that is not used."""
    name = "timm:tf_efficientnet_lite0"
    mean, std = pretrained_statistics(name, True, 3) or ((0.5,) * 3, (0.5,) * 3)
    encoder = make_encoder(name, channels=3, image_size=size, mean=mean, std=std, pretrained=True)
    card = ModelCard(
        recipe="photos",
        method="supcon",
        data="",
        class_names=("a", "b"),
        channels=3,
        image_size=size,
        stored_size=round(size * 8 / 7),
        mean=mean,
        std=std,
        counts={},
        encoder={"name": name},
    )
    return Model(encoder, nn.Linear(encoder.width, 2), card)


def flip(labels: tuple[str, ...], seed: int) -> tuple[tuple[str, ...], NDArray[np.bool_]]:
    """The labels with a tenth of them replaced by another class, and which."""
    generator = np.random.default_rng(seed)
    classes = sorted(set(labels))
    wrong = np.zeros(len(labels), dtype=bool)
    wrong[generator.permutation(len(labels))[: round(SHARE * len(labels))]] = True
    flipped = [
        str(generator.choice([name for name in classes if name != label])) if bad else label
        for label, bad in zip(labels, wrong, strict=True)
    ]
    return tuple(flipped), wrong


def audits_of_features(images: ListedImages, size: int) -> Iterator[tuple[Audit, NDArray[np.bool_]]]:
    """Audits of pretrained features, with other labels flipped for every seed."""
    gallery = Gallery.build(pretrained_model(size), images)
    for seed in SEEDS:
        labels, wrong = flip(images.labels, seed)
        noisy, shown = replace(gallery, labels=labels), replace(images, labels=labels)
        yield audit_images(noisy, shown, seed=seed), wrong


def train(data: str, folder: Path, seed: int = 0, **options: object) -> Path:
    """A run of the recipe, unless the folder has it; one that was stopped is continued."""
    if (folder / "recipe.yaml").exists() and not Run(folder).complete:
        resume(folder)
    elif not folder.exists():
        supcon.train(data, recipe=RECIPE, out=folder, seed=seed, options=options)
    return folder


def audits_of_runs(folder: Path) -> Iterator[tuple[Audit, NDArray[np.bool_]]]:
    """Audits of the training images of runs that were trained with wrong labels."""
    every = list_images(DataConfig(spec="fashion-mnist"))
    right = dict(zip(every.names, every.labels, strict=True))
    for seed in SEEDS:
        noise = {"data.label_noise": SHARE, "data.per_class": PER_CLASS}
        run = train("fashion-mnist", folder / f"noisy{seed}", seed, **noise)
        model, images = supcon.load(run), run_images(Run(run))
        chosen = images.pick(np.flatnonzero(np.array(images.splits) == "train"))
        gallery = Gallery.build(model, chosen)
        wrong = np.array([right[name] != label for name, label in zip(chosen.names, chosen.labels, strict=True)])
        yield audit_images(gallery, chosen, model.classes, seed=seed), wrong


def measure(audits: Iterator[tuple[Audit, NDArray[np.bool_]]]) -> tuple[Found, str]:
    """The share of flipped labels among the lowest scores, by ranking and seed; and what a correction would do."""
    found: Found = {name: [] for name in RANKINGS}
    corrections = []
    for audit, wrong in audits:
        chances = audit.scores.judges["classifier"]
        for name, ranking in RANKINGS.items():
            order = np.argsort(ranking(audit, chances), kind="stable")
            found[name].append(tuple(wrong[order[: round(top * len(order))]].sum() / wrong.sum() for top in TOP))
        changed = audit.doubtful(0.8)
        corrections.append((int(changed.sum()), int(wrong[changed].sum())))
    text = "; ".join(f"{changed} changed, {right} of them flipped ones" for changed, right in corrections)
    return found, text


def table(results: dict[str, tuple[Found, str]]) -> list[str]:
    """One row per setting and ranking: mean and every seed."""
    lines = ["| setting | ranking | within the top 10 % | within the top 15 % |", "|---|---|---|---|"]
    for setting, (found, _) in results.items():
        for name, seeds in found.items():
            cells = []
            for at in range(len(TOP)):
                values = [100 * seed[at] for seed in seeds]
                cells.append(f"{np.mean(values):.1f} % ({', '.join(f'{value:.1f}' for value in values)})")
            lines.append(f"| {setting} | {name} | {' | '.join(cells)} |")
    return lines


def training_on_the_corrected(folder: Path) -> list[str]:
    """Test accuracy with wrong, corrected and right labels."""
    manifest = folder / "corrected" / "fashion.csv"
    if not manifest.exists():
        supcon.audit(folder / "noisy0", out=folder / "audit0", corrected=manifest)
    runs = {
        "10 % flipped": folder / "noisy0",
        "corrected by `supcon audit --corrected`": train(str(manifest), folder / "corrected0"),
        "right labels": train("fashion-mnist", folder / "clean0", **{"data.per_class": PER_CLASS}),
    }
    lines = ["| training labels | test accuracy |", "|---|---|"]
    for name, run in runs.items():
        lines.append(f"| {name} | {100 * Run(run).measures['test/top1']:.2f} % |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=Path, required=True, help="folder of ants and bees")
    parser.add_argument("--runs", type=Path, required=True, help="folder of the runs; finished ones are kept")
    arguments = parser.parse_args()
    fashion = list_images(DataConfig(spec="fashion-mnist"))
    labels, splits = np.array(fashion.labels), np.array(fashion.splits)
    some = np.concatenate([np.flatnonzero((labels == name) & (splits == "train"))[:FEW] for name in np.unique(labels)])
    results = {
        "ants and bees, pretrained features": measure(
            audits_of_features(list_images(DataConfig(spec=str(arguments.photos))), 224)
        ),
        "Fashion-MNIST, pretrained features": measure(audits_of_features(fashion.pick(np.sort(some)), 64)),
        "Fashion-MNIST, run trained with the flipped labels": measure(audits_of_runs(arguments.runs)),
    }
    text = PAGE.format(
        table="\n".join(table(results)),
        corrections="\n".join(f"- {setting}: {text}." for setting, (_, text) in results.items()),
        recipe=RECIPE,
        images=f"{10 * PER_CLASS:,}",
        trained="\n".join(training_on_the_corrected(arguments.runs)),
    )
    Path(__file__).with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()

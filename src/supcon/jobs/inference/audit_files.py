"""The tables of `supcon audit`, and the corrected manifest."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from supcon.base.atomic_files import write_text
from supcon.base.errors import RequestError
from supcon.data import ListedImages
from supcon.serving import ESTIMATORS, Audit

Correction = Literal["relabel", "unlabel", "remove"]
"""What happens to an image whose label looks wrong: it gets the suggested label, none, or is left out."""


def write_tables(audit: Audit, folder: Path) -> None:
    """Writes `labels.csv`, `pairs.csv`, `duplicates.csv` and `classes.csv`, the worst first."""
    folder.mkdir(parents=True, exist_ok=True)
    _write(
        folder / "labels.csv",
        ("path", "split", "label", "suggested", "score", "suggested_probability", "unanimous", *ESTIMATORS),
        _label_rows(audit),
    )
    _write(
        folder / "pairs.csv",
        ("kind", "path", "label", "other_path", "other_label", "similarity", "share_times_mean"),
        _pair_rows(audit),
    )
    _write(
        folder / "duplicates.csv",
        ("path", "split", "label", "other_path", "other_split", "other_label", "similarity", "across_splits"),
        _duplicate_rows(audit),
    )
    pairs = audit.overlapping(len(audit.classes) ** 2, least=0.0)
    _write(folder / "classes.csv", ("class", "other_class", "overlap"), [(a, b, f"{v:.4f}") for a, b, v in pairs])


def _label_rows(audit: Audit) -> Iterable[Sequence[Any]]:
    scores, images = audit.scores, audit.images
    for row in scores.order.tolist():
        index = int(audit.labelled[row])
        suggested = int(scores.suggested[row])
        yield (
            images.names[index],
            images.splits[index],
            audit.classes[audit.labels[row]],
            audit.classes[suggested],
            f"{scores.score[row]:.6f}",
            f"{scores.probabilities[row, suggested]:.4f}",
            "yes" if scores.unanimous[row] else "no",
            *(f"{scores.label_probabilities[name][row]:.6f}" for name in ESTIMATORS),
        )


def _pair_rows(audit: Audit) -> Iterable[Sequence[Any]]:
    for kind, pairs in (("positive", audit.positives), ("negative", audit.negatives)):
        for at, (first, second) in enumerate(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)):
            entries = [
                (audit.images.names[audit.labelled[row]], audit.classes[audit.labels[row]]) for row in (first, second)
            ]
            yield (kind, *entries[0], *entries[1], f"{pairs.similarity[at]:.4f}", f"{pairs.times_mean[at]:.2f}")


def _duplicate_rows(audit: Audit) -> Iterable[Sequence[Any]]:
    images, pairs = audit.images, audit.duplicates
    for first, second, similarity, across in zip(
        pairs.first.tolist(), pairs.second.tolist(), pairs.similarity.tolist(), audit.across_splits, strict=True
    ):
        entries = [(images.names[at], images.splits[at], images.labels[at]) for at in (first, second)]
        yield (*entries[0], *entries[1], f"{similarity:.4f}", "yes" if across else "no")


def _write(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(header)
    table.writerows(rows)
    write_text(path, text.getvalue())


def write_corrected(audit: Audit, path: Path, correction: Correction, confidence: float) -> tuple[int, int]:
    """Writes a manifest that can be trained on; returns how many labels were changed and how many images left out.

    Only training images are changed. Those that look wrong are corrected; those that are near-duplicates of a
    validation or test image are left out.
    """
    images = audit.images
    labels = list(images.labels)
    in_training = _in_training(images)
    wrong = np.flatnonzero(audit.doubtful(confidence))
    wrong = wrong[in_training[audit.labelled[wrong]]]
    for row in wrong.tolist():
        suggested = audit.classes[audit.scores.suggested[row]]
        labels[audit.labelled[row]] = suggested if correction == "relabel" else ""
    kept = ~_leaks(audit, in_training)
    if correction == "remove":
        kept[audit.labelled[wrong]] = False
    indices = np.flatnonzero(kept).tolist()
    files = _paths(images, path, indices)
    rows = [(file, labels[index], images.splits[index]) for file, index in zip(files, indices, strict=True)]
    _write(path, ("path", "label", "split"), rows)
    changed = 0 if correction == "remove" else int(kept[audit.labelled[wrong]].sum())
    return changed, int((~kept).sum())


def why_unchanged(audit: Audit, confidence: float) -> str:
    """Why labels that all estimators doubt are not corrected, for the end of a sentence; empty if all are."""
    doubtful, in_training = audit.doubtful(0), _in_training(audit.images)[audit.labelled]
    below = doubtful & in_training & ~audit.doubtful(confidence)
    others = int((doubtful & ~in_training).sum())
    reasons = []
    if below.any():
        highest = float(audit.scores.probabilities.max(1)[below].max())
        words = "training label is" if below.sum() == 1 else "training labels are"
        reasons.append(
            f"{int(below.sum()):,} {words} below --confidence {confidence:g} (the highest has {highest:.1%})"
        )
    if others:
        reasons.append(f"{others:,} {'is' if others == 1 else 'are'} in validation or test")
    found = f"of the {int(doubtful.sum()):,} labels that all estimators would replace, "
    return found + ", ".join(reasons).replace("%", " %") if reasons else ""


def _in_training(images: ListedImages) -> NDArray[np.bool_]:
    """[image]: whether it may be corrected; images without a split may be."""
    return np.array([split in ("train", "") for split in images.splits])


def _leaks(audit: Audit, in_training: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """[image]: training images that are near-duplicates of an image of another split."""
    pairs = np.stack([audit.duplicates.first, audit.duplicates.second], 1)[audit.across_splits]
    leaks = np.zeros(len(audit.images), dtype=bool)
    leaks[pairs.reshape(-1)] = True
    return leaks & in_training


def _paths(images: ListedImages, manifest: Path, indices: Sequence[int]) -> list[str]:
    """Paths of the images; those that are not files are written next to the manifest."""
    if not isinstance(images.images, np.ndarray) and all(Path(images.where(index)).is_file() for index in indices):
        return [str(Path(images.where(index)).resolve()) for index in indices]
    folder = manifest.with_name(f"{manifest.stem}-images")
    if folder.exists():
        raise RequestError(f"{folder} already exists; remove it, or write the manifest elsewhere with --corrected.")
    folder.mkdir(parents=True)
    names = [f"{index:06}.png" for index in indices]
    for index, name in zip(indices, names, strict=True):
        _as_png(images.picture(index)).save(folder / name)
    return [f"{folder.name}/{name}" for name in names]


def _as_png(image: Image.Image) -> Image.Image:
    return image if image.mode in ("L", "RGB", "RGBA", "I;16") else image.convert("RGB")

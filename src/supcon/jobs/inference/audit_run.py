"""The work of `supcon audit`: labels that look wrong, hard pairs, near-duplicates, classes that overlap."""

from pathlib import Path

import numpy as np

from supcon.base.atomic_files import check_out, write_text
from supcon.base.checked_arguments import check_suffix, checked_arguments
from supcon.base.errors import RequestError, disk_errors
from supcon.base.progress import bar, say
from supcon.data import check_present
from supcon.jobs.inference.audit_files import Correction, why_unchanged, write_corrected, write_tables
from supcon.jobs.inference.run_gallery import open_gallery
from supcon.report import AuditPage, DuplicatePair, HardPair, SuspectLabel, build_audit_page, picture_uri
from supcon.runs import open_complete_run
from supcon.serving import Audit, Device, HardPairs, audit_images, load, torch_device

CONFIDENCE = 0.8
"""Mean probability from which a suggested label replaces the given one in a corrected manifest."""
_SHOWN = 60
_PAIRS_SHOWN = 30
_HARD_SHOWN = 12
_OVERLAPS_SHOWN = 15


@checked_arguments
def audit(
    run: str | Path,
    data: str | Path | None = None,
    *,
    out: str | Path | None = None,
    corrected: str | Path | None = None,
    correction: Correction = "relabel",
    confidence: float = CONFIDENCE,
    data_root: str | None = None,
    device: Device = "auto",
    seed: int = 0,
) -> tuple[Audit, Path]:
    """Audits the labels of any DATA, by default of the run's own images; writes tables and a page to a folder.

    Returns what was found and the folder, by default `RUN/audit`. `corrected` is the path of a manifest that is
    written with labels corrected where all estimators agree with at least `confidence`.
    """
    opened = open_complete_run(Path(run))
    if not 0 <= confidence <= 1:
        raise RequestError(f"--confidence must be between 0 and 1, got {confidence}.")
    manifest = None if corrected is None else Path(corrected).expanduser()
    check_suffix("--corrected", manifest, ".csv")
    folder = Path(out).expanduser() if out is not None else opened.path / "audit"
    if data is not None:
        check_present(str(data), data_root)
    check_out(folder, folder=True)
    check_out(manifest)
    model = load(opened.path, torch_device(device))
    gallery, images = open_gallery(opened.path, model, data, data_root=data_root)
    found = audit_images(gallery, images, model.classes, bar, seed)
    page = build_audit_page(_page(found, opened.name))  # reads images: what fails here is not the writing
    with disk_errors(folder):
        write_tables(found, folder)
        write_text(folder / "audit.html", page)
        if manifest is not None:
            manifest.parent.mkdir(parents=True, exist_ok=True)
            changed, left_out = write_corrected(found, manifest, correction, confidence)
            reason = why_unchanged(found, confidence)
            say(
                f"{manifest}: {_number(changed, 'label')} changed, {_number(left_out, 'image')} left out"
                f"{f': {reason}' if reason else ''}."
            )
    return found, folder


def _number(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def _page(audit: Audit, run: str) -> AuditPage:
    doubtful = audit.doubtful(0)
    return AuditPage(
        run=run,
        data=audit.images.name,
        images=len(audit.images),
        doubtful=int(doubtful.sum()),
        suspects=[_suspect(audit, row) for row in audit.scores.order[:_SHOWN].tolist()],
        hard={
            "positives, one class": _hard_pairs(audit, audit.positives),
            "negatives, two classes": _hard_pairs(audit, audit.negatives),
        },
        duplicates=len(audit.duplicates.first),
        across=int(audit.across_splits.sum()),
        pairs=_pairs(audit),
        overlaps=audit.overlapping(_OVERLAPS_SHOWN),
    )


def _suspect(audit: Audit, row: int) -> SuspectLabel:
    index, scores = int(audit.labelled[row]), audit.scores
    suggested = int(scores.suggested[row])
    return SuspectLabel(
        name=audit.images.names[index],
        split=audit.images.splits[index],
        picture=picture_uri(audit.images.picture(index)),
        label=audit.classes[audit.labels[row]],
        suggested=audit.classes[suggested],
        probability=float(scores.probabilities[row, suggested]),
        label_probabilities={name: float(values[row]) for name, values in scores.label_probabilities.items()},
    )


def _hard_pairs(audit: Audit, pairs: HardPairs) -> list[HardPair]:
    shown = []
    for at in range(min(_HARD_SHOWN, len(pairs.first))):
        rows = [int(pairs.first[at]), int(pairs.second[at])]
        indices = [int(audit.labelled[row]) for row in rows]
        shown.append(
            HardPair(
                names=[audit.images.names[index] for index in indices],
                labels=[audit.classes[audit.labels[row]] for row in rows],
                pictures=[picture_uri(audit.images.picture(index)) for index in indices],
                similarity=float(pairs.similarity[at]),
                times_mean=float(pairs.times_mean[at]),
            )
        )
    return shown


def _pairs(audit: Audit) -> list[DuplicatePair]:
    """The pairs across splits first."""
    order = np.argsort(~audit.across_splits, kind="stable")[:_PAIRS_SHOWN]
    images, pairs = audit.images, audit.duplicates
    shown = []
    for at in order.tolist():
        indices = [int(pairs.first[at]), int(pairs.second[at])]
        shown.append(
            DuplicatePair(
                names=[images.names[index] for index in indices],
                splits=[images.splits[index] for index in indices],
                labels=[images.labels[index] for index in indices],
                pictures=[picture_uri(images.picture(index)) for index in indices],
                similarity=float(pairs.similarity[at]),
            )
        )
    return shown

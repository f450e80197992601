"""Chooses the candidate with the best validation score; scores are saved, so that an interrupted search continues."""

from collections.abc import Callable, Sequence
from pathlib import Path

from supcon.base.atomic_files import write_json
from supcon.base.errors import RequestError
from supcon.jobs.transfer_learning.config import Candidate
from supcon.runs import Run

Validate = Callable[[Candidate], float]
"""Trains a candidate and scores it on validation images."""


def choose(
    candidates: Sequence[Candidate],
    validate: Validate,
    run: Run,
    file: Path,
    settings: dict[str, object],
) -> tuple[Candidate, float]:
    """The best candidate and its validation score; the first of several equal ones.

    `file` holds the scores of candidates that were already tried with the same `settings`.
    """
    scores = _known(run, file, settings)
    for candidate in candidates:
        if candidate.title not in scores:
            scores[candidate.title] = validate(candidate)
            file.parent.mkdir(exist_ok=True)
            write_json(file, {"settings": settings, "validation": scores})
    best = max(candidates, key=lambda candidate: scores[candidate.title])
    return best, scores[best.title]


def _known(run: Run, file: Path, settings: dict[str, object]) -> dict[str, float]:
    if not file.exists():
        return {}
    try:
        stored = run.read_json(file)
    except RequestError:  # the file is damaged: the search starts again
        return {}
    return dict(stored["validation"]) if stored.get("settings") == settings else {}

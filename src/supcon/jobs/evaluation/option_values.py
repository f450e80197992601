"""Checks the values of `supcon evaluate`, before torch is imported and any image is read."""

import difflib
from collections.abc import Sequence
from pathlib import Path

from supcon.base.checked_arguments import checked_path
from supcon.base.errors import RequestError
from supcon.data import check_present, check_spec
from supcon.evaluation import (
    CORRUPTIONS,
    EXTRA_CORRUPTIONS,
    MOST_BINS,
    SEVERITIES,
    has_corruptions,
    has_severity,
    published_corruptions,
)
from supcon.jobs.evaluation.unused_options import EvaluatedOn, refuse_unused
from supcon.runs import open_complete_run

_KNOWN = CORRUPTIONS + EXTRA_CORRUPTIONS
_GROUPS = {"standard": CORRUPTIONS, "extra": EXTRA_CORRUPTIONS, "all": _KNOWN}


def check_evaluation(
    bins: int,
    severities: Sequence[int],
    k: int | None,
    knn_temperature: float,
    *,
    on: str | Path | None = None,
    baseline: str | Path | None = None,
    corruptions: str = "standard",
    seed: int = 0,
    frost: str = "auto",
    data_root: str | None = None,
) -> EvaluatedOn:
    """Raises an error for a value that cannot be; returns which images are evaluated on."""
    if bins < 1:
        raise RequestError(f"--bins must be at least 1, got {bins}.")
    if bins > MOST_BINS:
        raise RequestError(f"--bins must be at most {MOST_BINS:,}, got {bins:,}.")
    if not severities or any(severity not in SEVERITIES for severity in severities):
        raise RequestError(f"--severities must be between 1 and 5, got {list(severities)}.")
    if (k is not None and k < 1) or not knn_temperature > 0:
        raise RequestError(f"--k must be at least 1 and --knn-temperature above 0, got {k} and {knn_temperature}.")
    kind = _evaluated_on(on)
    changed = {
        "--baseline": baseline is not None,
        "--corruptions": corruptions != "standard",
        "--severities": {*severities} != {*SEVERITIES},
        "--seed": seed != 0,
        "--frost": frost != "auto",
        "--k": k is not None,
        "--knn-temperature": knn_temperature != 0.1,
        "--data-root": data_root is not None,
    }
    refuse_unused(kind, [option for option, is_changed in changed.items() if is_changed])
    chosen_corruptions(corruptions)
    if kind == "published corruptions":
        published_names(Path(str(on)).expanduser(), corruptions, severities)
    if baseline is not None:
        open_complete_run(Path(baseline))
    if kind == "other data":
        check_spec(str(on))
        check_present(str(on), data_root)
    return kind


def _evaluated_on(on: str | Path | None) -> EvaluatedOn:
    if on is None:
        return "own test images"
    if on == "corruptions":
        return "computed corruptions"
    return "published corruptions" if has_corruptions(checked_path(on, "--on")) else "other data"


def chosen_corruptions(choice: str) -> tuple[str, ...]:
    """The names that --corruptions means: `standard` (the 15), `extra` (the other 4), `all`, or comma-separated names.

    >>> chosen_corruptions("fog,snow")
    ('fog', 'snow')
    """
    names = _GROUPS.get(choice) or tuple(name.strip() for name in choice.split(",") if name.strip())
    for name in names:
        if name not in _KNOWN:
            near = difflib.get_close_matches(name.lower().replace(" ", "_").replace("-", "_"), (*_KNOWN, *_GROUPS), n=1)
            hint = f"did you mean {near[0]}? The names are" if near else "choose standard, extra, all, or names out of"
            raise RequestError(f"There is no corruption {name!r}; {hint} {', '.join(_KNOWN)}.")
    if not names:
        raise RequestError("--corruptions is empty; choose standard, extra, all or comma-separated names.")
    return names


def published_names(root: Path, choice: str, severities: Sequence[int]) -> tuple[str, ...]:
    """The chosen corruptions that a folder of ImageNet-C or CIFAR-10-C has, in the authors' order.

    Raises an error if it lacks a corruption that was named, all of a group, or a severity of one.
    """
    chosen, there = chosen_corruptions(choice), published_corruptions(root)
    absent = [name for name in chosen if name not in there]
    names = tuple(name for name in there if name in chosen)
    if not names or (absent and choice not in _GROUPS):
        raise RequestError(f"{root} has no {absent[0]}; it has {', '.join(there)}: name some of them in --corruptions.")
    for name in names:
        for severity in severities:
            if not has_severity(root, name, severity):
                raise RequestError(
                    f"{root} has no severity {severity} of the corruption {name}; give a complete folder, or name "
                    "others in --severities."
                )
    return names

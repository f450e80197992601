"""Changes to the recipe of a resumed run: only those that would not have changed the finished steps."""

import shutil
from dataclasses import replace

from supcon.base.errors import RequestError
from supcon.recipes import Recipe, flat_values, recipe_to_values
from supcon.runs import Run
from supcon.stages import Stage1Config, Stage2Config

_NO_DIFFERENCE = ("data.hold", "data.memory_limit", "data.outside")
"""Settings without an effect on results: all ways of storing images give the same pixels."""


def longer_run(stored: Recipe, asked: Recipe) -> Recipe:
    """The recipe of the resumed run: the stored one with more epochs, if the schedule allows that."""
    old, new = (flat_values(recipe_to_values(recipe)) for recipe in (stored, asked))
    for name in old:
        if old[name] == new[name] or name in _NO_DIFFERENCE:
            continue
        if name == "stage1.epochs":
            _check_longer(name, stored.stage1, asked.stage1, stored.method == "large-margin")
        elif name == "stage2.epochs":
            _check_longer(name, stored.stage2, asked.stage2)
        else:
            raise RequestError(
                f"--resume continues with the run's own recipe, in which {name} is {old[name]!r}, but {new[name]!r} "
                "was given; leave that option out, or start another run with --out."
            )
    return replace(asked, name=stored.name)


def _check_longer(
    name: str, stored: Stage1Config | Stage2Config, asked: Stage1Config | Stage2Config, margin: bool = False
) -> None:
    """Raises an error if the finished steps would have been different with the new number of epochs."""
    reason = ""
    if asked.epochs < stored.epochs:
        reason = "a finished run cannot be shortened"
    elif stored.optimizer.schedule == "cosine":
        reason = f"its learning rate follows a cosine that ends with epoch {stored.epochs}"
    elif stored.optimizer.warmup_epochs > stored.epochs / 2:
        reason = "its warm-up was shortened to half of the epochs"
    elif margin:
        reason = "its margin increases on a schedule that ends with the last epoch"
    if reason:
        raise RequestError(
            f"{name} is {stored.epochs} in this run and cannot be changed to {asked.epochs}, because {reason}; leave "
            "the option out, or start another run from this run's weights with --out and --encoder.pretrained RUN."
        )


def remove_outdated_results(run: Run, stored: Recipe, asked: Recipe) -> None:
    """Removes the results that depend on a stage that will now be longer: stage 2 and the evaluation."""
    if asked.stage1.epochs != stored.stage1.epochs:
        shutil.rmtree(run.stage(2), ignore_errors=True)
    if (asked.stage1.epochs, asked.stage2.epochs) != (stored.stage1.epochs, stored.stage2.epochs):
        run.evaluation_file.unlink(missing_ok=True)

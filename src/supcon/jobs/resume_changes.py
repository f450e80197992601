"""What of a run's recipe may change when it goes on: nothing that would have changed what is done already."""

import shutil
from dataclasses import replace

from supcon.base.errors import RequestError
from supcon.recipes import Recipe, flat_values, recipe_to_values
from supcon.runs import Run
from supcon.stages import Stage1Config, Stage2Config

_NO_DIFFERENCE = ("data.hold", "data.memory_limit", "data.outside")
"""All ways of holding images give the same pixels; where a manifest may point to does not change them either."""


def longer_run(stored: Recipe, asked: Recipe) -> Recipe:
    """The recipe to go on with: the stored one, longer where more epochs are asked for and the schedule allows that."""
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
    """Refuses other epochs where the steps that were taken would have been others."""
    reason = ""
    if asked.epochs < stored.epochs:
        reason = "fewer cannot be had afterwards"
    elif stored.optimizer.schedule == "cosine":
        reason = f"its learning rate falls along a cosine that ends with epoch {stored.epochs}"
    elif stored.optimizer.warmup_epochs > stored.epochs / 2:
        reason = "its warm-up was shortened to half of them"
    elif margin:
        reason = "its margin increases on a schedule that ends with the last epoch"
    if reason:
        raise RequestError(
            f"{name} is {stored.epochs} in this run and {asked.epochs} was asked for: {reason}; leave the option out, "
            f"or start another run with --out and --encoder.pretrained RUN, which begins with this run's weights."
        )


def forget_what_follows(run: Run, stored: Recipe, asked: Recipe) -> None:
    """Removes what a run has made after a stage that will now be longer."""
    if asked.stage1.epochs != stored.stage1.epochs:
        shutil.rmtree(run.stage(2), ignore_errors=True)
    if (asked.stage1.epochs, asked.stage2.epochs) != (stored.stage1.epochs, stored.stage2.epochs):
        run.evaluation_file.unlink(missing_ok=True)

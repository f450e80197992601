"""A finished run whose `model.safetensors` or `model.json` is gone or damaged: what `supcon train --resume` repairs."""

from supcon.base.errors import RequestError
from supcon.base.progress import say
from supcon.recipes import Recipe
from supcon.runs import Run
from supcon.serving import load, read_card
from supcon.stages import METHODS


def lost_model(run: Run, recipe: Recipe) -> bool:
    """Whether the run is finished and its model cannot be loaded, but can be written again from its checkpoints.

    Raises an error if it cannot be: training from the start would replace the run by another one.
    """
    if not run.complete or _loads(run):
        return False
    if run.model_file.is_dir():
        raise RequestError(f"{run.model_file} is a folder, not a file of weights; remove it and repeat the command.")
    for number in (1, 2) if METHODS[recipe.method].stage2 else (1,):
        folder = run.stage(number) / "checkpoints"
        if not any(folder.glob("*.ckpt")):
            raise RequestError(
                f"{run.model_file} is damaged or missing, and {folder}, from which it could be written again, has no "
                "checkpoint; restore one of them, or train again in another --out."
            )
    say(f"{run.model_file} is damaged or missing; it is written again from the run's checkpoints.")
    return True


def _loads(run: Run) -> bool:
    try:
        load(run.path)
    except RequestError:
        return False
    return True


def weights_digest(run: Run) -> str | None:
    """The hash of the weights that `model.json` describes; None if that file cannot be read."""
    try:
        return read_card(run).weights_digest
    except RequestError:
        return None

"""The cross-entropy runs that a page can show beside its own run."""

from supcon.base.bounded_reading import read_text
from supcon.base.errors import RequestError
from supcon.base.progress import say
from supcon.base.stored_values import TRAIN_AGAIN
from supcon.jobs.stored_fingerprint import stored_fingerprint
from supcon.report import differences, setting
from supcon.runs import Run

BASELINE = "cross-entropy"


def baseline_runs(run: Run) -> list[Run]:
    """The finished cross-entropy runs in the same folder that were tested on the same images, most similar first.

    There are none for a cross-entropy run. Runs with damaged files are left out: nobody has asked for them.
    """
    recipe = run.recipe
    if recipe.get("method") == BASELINE:
        return []
    images, found = stored_fingerprint(run), []
    for path in sorted(run.path.resolve().parent.iterdir()):
        other = Run(path)
        try:
            if images and _is_cross_entropy(other) and _test_images(other, recipe) == images:
                other_seed = other.recipe.get("seed") != recipe.get("seed")
                found.append((len(differences([recipe, other.recipe])), other_seed, other.name, other))
        except RequestError as error:
            say_left_out(other, error)
    return [entry[3] for entry in sorted(found, key=lambda entry: entry[:3])]


def say_left_out(run: Run, error: RequestError) -> None:
    """Prints why a run is not shown as the baseline."""
    say(f"{run.path} is not shown as the baseline: {error}")


def _is_cross_entropy(run: Run) -> bool:
    if not (run.complete and run.recipe_file.exists() and run.outputs_file.exists()):
        return False
    # Searching the text is fast enough for a folder of hundreds of runs; parsing all of them is not.
    return f"\nmethod: {BASELINE}\n" in f"\n{read_text(run.recipe_file, TRAIN_AGAIN)}"


def _test_images(run: Run, recipe: dict[str, object]) -> str:
    """The hash of the run's test images; empty if its data is not that of `recipe`."""
    same = setting(run.recipe, "data.spec") == setting(recipe, "data.spec")
    return stored_fingerprint(run) if same else ""

"""The images of a run in the splits it was trained with, used by every command after `train`."""

from supcon.base.progress import Bar, no_bar
from supcon.data import ImageData, load_data
from supcon.recipes import recipe_from_values
from supcon.runs import Run


def load_run_data(run: Run, progress: Bar = no_bar) -> ImageData:
    """The data of a run, split by its `splits.csv`, so that files added to the data folder since are not used."""
    recipe = recipe_from_values(run.recipe)
    return load_data(recipe.data, recipe.seed, progress, split_table=run.split_table)

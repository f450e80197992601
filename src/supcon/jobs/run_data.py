"""The images of a run, in the splits it was trained with: what every command after `train` works on."""

from supcon.base.progress import Bar, no_bar
from supcon.data import ImageData, load_data
from supcon.recipes import recipe_from_values
from supcon.runs import Run


def load_run_data(run: Run, progress: Bar = no_bar) -> ImageData:
    """The data of a run; its own `splits.csv` decides what is what, not what lies in the folder now."""
    recipe = recipe_from_values(run.recipe)
    return load_data(recipe.data, recipe.seed, progress, split_table=run.split_table)

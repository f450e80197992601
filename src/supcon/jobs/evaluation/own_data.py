"""The data that a run was trained on."""

from supcon.base.errors import RequestError
from supcon.base.progress import bar
from supcon.data import ImageData
from supcon.jobs.run_data import load_run_data
from supcon.recipes import recipe_from_values
from supcon.runs import Run
from supcon.serving import read_card


def own_data(run: Run) -> ImageData:
    """The run's images in the run's splits; raises an error if its classes have changed since."""
    recipe, data = recipe_from_values(run.recipe), load_run_data(run, bar)
    card = read_card(run)
    if list(data.class_names) != list(card.class_names):
        raise RequestError(
            f"{recipe.data.spec} has other classes than when {run.path} was trained "
            f"({len(data.class_names)} now, {len(card.class_names)} then); restore the data or train again."
        )
    if len(data.test) == 0:
        raise RequestError(f"The test split of {recipe.data.spec} has no images; add some, then evaluate.")
    return data

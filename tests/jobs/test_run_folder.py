"""The default folder of a run."""

from pathlib import Path

from supcon.jobs.run_folder import default_folder, folder_of
from supcon.recipes import change_recipe, find_recipe


def test_data_method_and_an_unusual_seed_are_in_the_name() -> None:
    assert folder_of("digits", "supcon", 0) == Path("runs/digits-supcon")
    assert folder_of("/data/my photos/", "cross-entropy", 3) == Path("runs/my photos-cross-entropy-seed3")
    assert default_folder(change_recipe(find_recipe("digits"), {"seed": 2})) == Path("runs/digits-supcon-seed2")

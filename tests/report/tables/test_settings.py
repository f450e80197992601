import yaml
from hypothesis import given
from hypothesis import strategies as st

from supcon.report.tables.settings import differences, flat_settings, recipe_yaml, repeatable, setting

LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
NAMES = st.text("abc", min_size=1, max_size=3)
SECTIONS = st.dictionaries(NAMES, LEAVES, min_size=1, max_size=2)
RECIPES = st.dictionaries(
    NAMES, LEAVES | SECTIONS | st.dictionaries(NAMES, SECTIONS, min_size=1, max_size=2), max_size=3
)


@given(RECIPES)
def test_every_flat_name_finds_its_value(recipe: dict[str, object]) -> None:
    for name, value in flat_settings(recipe).items():
        assert setting(recipe, name) == value


def test_a_name_that_is_not_there() -> None:
    assert setting({"stage1": {"epochs": 3}}, "stage1.lr") is None
    assert setting({"stage1": {"epochs": 3}}, "stage1.epochs.first") is None


def test_seed_name_and_folder_are_no_settings() -> None:
    assert repeatable({"seed": 1, "recipe": "a", "name": "a", "out": "b", "stage1": {"seed": 4}}) == {"stage1.seed": 4}


def test_differences_have_a_value_for_every_recipe() -> None:
    recipes = [{"a": 1, "b": {"c": (1, 2)}}, {"a": 1, "b": {"c": [1, 2]}, "d": 0}, {"a": 2, "b": {"c": [1, 2]}}]
    assert differences(recipes) == {"a": [1, 1, 2], "d": [None, 0, None]}


def test_yaml_reads_back() -> None:
    recipe = {"crop": (0.2, 1.0), "deep": {"none": None, "text": "ünï: - #"}}
    assert yaml.safe_load(recipe_yaml(recipe)) == {"crop": [0.2, 1.0], "deep": {"none": None, "text": "ünï: - #"}}

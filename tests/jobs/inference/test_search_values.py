"""The values of `supcon search`, checked before the gallery is made."""

from pathlib import Path

import pytest

from random_models import random_model, saved_run
from supcon.base.errors import RequestError
from supcon.jobs.inference.search_values import check_class, check_search


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return saved_run(tmp_path / "run", random_model(class_names=("bird", "car", "ship", "dog"))).path


@pytest.mark.parametrize(
    ("queries", "sentence"),
    [
        ([], "queries is empty; give at least one image, folder or class:NAME."),
        (["nowhere.png"], "There is no file and no folder nowhere.png; give an image, a folder or class:NAME."),
        (
            ["class:birds"],
            "No image of the gallery has the class 'birds'; did you mean 'bird'? Its classes are bird, car, ship, dog.",
        ),
    ],
)
def test_queries_that_are_not_there(run: Path, queries: list[str], sentence: str) -> None:
    with pytest.raises(RequestError) as caught:
        check_search(run, queries)
    assert str(caught.value) == sentence


def test_queries_that_are_there(run: Path, tmp_path: Path) -> None:
    (tmp_path / "photo.png").touch()
    check_search(run, ["class:bird", tmp_path / "photo.png", tmp_path])
    check_search(run, ["class:plane"], gallery="digits")  # only that gallery knows its classes


def test_other_values(run: Path) -> None:
    with pytest.raises(RequestError, match=r"^--k must be at least 1, got 0"):
        check_search(run, ["class:bird"], k=0)
    with pytest.raises(RequestError, match=r"^--out must end in \.html, got 'page\.txt'"):
        check_search(run, ["class:bird"], out="page.txt")
    with pytest.raises(RequestError, match=r"^There is no manifest nowhere\.csv"):
        check_search(run, ["class:bird"], gallery="nowhere.csv")


def test_only_the_first_of_many_classes_are_named() -> None:
    with pytest.raises(RequestError, match=r"the class 'x'; its classes are 100, 101, .*, 109, …\.$"):
        check_class("x", [str(number) for number in range(100, 120)])
    with pytest.raises(RequestError, match=r"its classes are none\.$"):
        check_class("x", [])

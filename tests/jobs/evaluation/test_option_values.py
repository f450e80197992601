"""The values of `supcon evaluate`."""

from pathlib import Path

import pytest

from supcon.base.errors import RequestError
from supcon.evaluation import CORRUPTIONS, EXTRA_CORRUPTIONS
from supcon.jobs.evaluation.option_values import check_evaluation, chosen_corruptions, published_names


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ((0, (1,), None, 0.1), "--bins must be at least 1, got 0."),
        ((2_000_000, (1,), None, 0.1), "--bins must be at most 1,000,000, got 2,000,000."),
        ((15, (1, 9), None, 0.1), "--severities must be between 1 and 5, got [1, 9]."),
        ((15, (), None, 0.1), "--severities must be between 1 and 5, got []."),
        ((15, (1,), 0, 0.1), "--k must be at least 1 and --knn-temperature above 0, got 0 and 0.1."),
        ((15, (1,), 3, float("nan")), "--k must be at least 1 and --knn-temperature above 0, got 3 and nan."),
    ],
)
def test_impossible_values(values: tuple[int, tuple[int, ...], int | None, float], sentence: str) -> None:
    with pytest.raises(RequestError) as caught:
        check_evaluation(*values)
    assert str(caught.value) == sentence


def test_possible_values() -> None:
    check_evaluation(15, (1, 5), None, 0.1, on="corruptions")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("fogg", "fog"),
        ("Gaussian Noise", "gaussian_noise"),
        ("jpeg-compression", "jpeg_compression"),
        ("stanard", "standard"),
    ],
)
def test_a_misspelt_corruption_has_a_suggestion_and_the_names(written: str, meant: str) -> None:
    with pytest.raises(RequestError) as caught:
        check_evaluation(15, (1,), None, 0.1, on="corruptions", corruptions=f"snow,{written}")
    names = ", ".join(CORRUPTIONS + EXTRA_CORRUPTIONS)
    assert str(caught.value) == f"There is no corruption {written!r}; did you mean {meant}? The names are {names}."


def test_what_no_corruption_resembles() -> None:
    with pytest.raises(RequestError, match=r"no corruption 'qqq'; choose standard, extra, all, or names out of gauss"):
        chosen_corruptions("qqq")


def test_the_images_that_are_meant(tmp_path: Path, photos: Path) -> None:
    (tmp_path / "fog" / "1").mkdir(parents=True)
    values = (15, (1,), None, 0.1)
    assert check_evaluation(15, (1, 2, 3, 4, 5), None, 0.1) == "own test images"
    assert check_evaluation(*values, on="corruptions", corruptions="fog") == "computed corruptions"
    assert check_evaluation(*values, on=tmp_path) == "published corruptions"
    assert check_evaluation(15, (1, 2, 3, 4, 5), None, 0.1, on=photos) == "other data"


@pytest.mark.parametrize(
    ("on", "sentence"),
    [
        ("nowhere/", "There is no folder and no data set called 'nowhere/'"),
        ("cifr10", "did you mean 'cifar10'?"),
        ("cifar10", "cifar10 (170 MB) was not found as"),
        ("nowhere.csv", "There is no manifest nowhere.csv"),
        ("~nobody-here/x", "--on has the home of a user who does not exist here"),
    ],
)
def test_data_that_are_not_there(on: str, sentence: str) -> None:
    with pytest.raises(RequestError) as caught:
        check_evaluation(15, (1, 2, 3, 4, 5), None, 0.1, on=on)
    assert sentence in str(caught.value)


def test_a_published_set_without_what_was_named(tmp_path: Path) -> None:
    for severity in (1, 2):
        (tmp_path / "weather" / "fog" / str(severity)).mkdir(parents=True)
    assert published_names(tmp_path, "standard", (1, 2)) == ("fog",), "what a group has more of is left out"
    with pytest.raises(RequestError, match=r" has no snow; it has fog: name some of them in --corruptions\.$"):
        published_names(tmp_path, "fog,snow", (1,))
    with pytest.raises(RequestError, match=r" has no speckle_noise; it has fog"):
        published_names(tmp_path, "extra", (1,))
    with pytest.raises(
        RequestError, match=r"no severity 3 of the corruption fog; give a complete folder, or name other"
    ):
        published_names(tmp_path, "fog", (1, 3))

"""What `supcon transfer` refuses before it works on the first of several data sets."""

from pathlib import Path

import pytest

from supcon.base.errors import RequestError
from supcon.jobs.transfer_learning.check_transfer import check_transfer


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ([], "supcon transfer needs at least one data set; give a name such as digits, or a folder."),
        (["digits", "nowhere/"], "There is no folder and no data set called 'nowhere/'"),
        (["digits", "cifr10"], "did you mean 'cifar10'?"),
        (["digits", "oxford-pets"], "oxford-pets (810 MB) was not found as"),
    ],
)
def test_all_data_are_checked(data: list[str], sentence: str) -> None:
    with pytest.raises(RequestError) as caught:
        check_transfer(data)
    assert sentence in str(caught.value)


def test_a_set_that_is_downloaded_need_not_be_there(photos: Path) -> None:
    check_transfer(["cifar10", photos], download=True)


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_impossible_seeds(seed: int) -> None:
    with pytest.raises(RequestError, match=rf"^The seed must be 0 or more and below 2\*\*32, got {seed}\.$"):
        check_transfer(["digits"], seed)

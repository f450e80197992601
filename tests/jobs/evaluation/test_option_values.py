"""The values of `supcon evaluate`."""

import pytest

from supcon.base.errors import RequestError
from supcon.jobs.evaluation.option_values import check_evaluation


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ((0, (1,), None, 0.1), "--bins must be at least 1, got 0."),
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
    check_evaluation(15, (1, 5), None, 0.1)

"""The elastic transform against the usual implementation."""

import pytest

from references.usual_corruptions import CASES, GREY, assert_like_the_usual


@pytest.mark.parametrize(("count", "size", "channels", "severity"), [*CASES, GREY])
@pytest.mark.parametrize("name", ["elastic_transform"])
def test_agrees_with_the_usual_implementation(
    name: str, count: int, size: tuple[int, int], channels: int, severity: int
) -> None:
    assert_like_the_usual(name, count, size, channels, severity)

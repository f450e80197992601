"""Durations in words."""

import pytest

from supcon.base.durations import about


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "a second"), (1.4, "a second"), (1.6, "2 seconds"), (99, "99 seconds"), (101, "2 minutes"),
     (5999, "100 minutes"), (6000, "1.7 hours"), (172_000, "47.8 hours"), (172_800, "2.0 days")],
)  # fmt: skip
def test_the_unit_fits_the_duration(seconds: float, words: str) -> None:
    assert about(seconds) == words

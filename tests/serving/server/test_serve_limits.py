"""Limits of a server."""

import pytest

from supcon.base.errors import RequestError
from supcon.serving.server.serve_limits import ServeLimits


def test_megabytes_are_millions_of_bytes() -> None:
    assert ServeLimits(upload_megabytes=1.5).upload_bytes == 1_500_000


@pytest.mark.parametrize("name", ["upload_megabytes", "megapixels", "images", "queue", "seconds", "batch"])
def test_every_limit_must_be_above_0(name: str) -> None:
    option = name.replace("_", "-")
    with pytest.raises(RequestError, match=f"--{option} must be above 0, got 0"):
        ServeLimits(**{name: 0})

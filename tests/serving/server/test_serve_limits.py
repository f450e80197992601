import pytest

from supcon.base.errors import RequestError
from supcon.serving import ServeLimits


def test_the_size_of_a_request_in_bytes() -> None:
    assert ServeLimits(upload_megabytes=1.5).upload_bytes == 1_500_000


@pytest.mark.parametrize("name", ["upload_megabytes", "megapixels", "images", "queue", "seconds", "batch"])
@pytest.mark.parametrize("value", [0, -1])
def test_limits_are_above_zero(name: str, value: int) -> None:
    with pytest.raises(RequestError, match=f"--{name.replace('_', '-')} must be above 0, got {value}"):
        ServeLimits(**{name: value})

from pathlib import Path

import pytest

from supcon.base.errors import RequestError
from supcon.data.storage import memory_limit
from supcon.data.storage.memory_limit import check_memory


def test_a_set_that_fits_exactly_is_taken() -> None:
    check_memory(2_000_000_000, 2.0, Path("photos"))
    with pytest.raises(RequestError, match="take 2"):
        check_memory(2_000_000_001, 2.0, Path("photos"))


def test_a_set_above_the_given_limit_is_refused() -> None:
    with pytest.raises(
        RequestError,
        match=r"^The images of photos take 3\.0 GB decoded, but only 2\.0 GB are allowed; use --data\.hold cache, "
        r"a smaller --data\.image_size, fewer images, or a larger --data\.memory_limit\.$",
    ):
        check_memory(3_000_000_000, 2.0, Path("photos"))


def test_half_of_what_is_available_is_allowed_without_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_limit, "available_memory", lambda: 1000)
    check_memory(500, None, Path("photos"))
    with pytest.raises(RequestError, match="photos"):
        check_memory(501, None, Path("photos"))

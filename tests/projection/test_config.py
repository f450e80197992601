import pytest

from supcon.base.errors import RequestError
from supcon.projection.config import ProjectionConfig


def test_the_papers_width() -> None:
    assert ProjectionConfig().width == 128


@pytest.mark.parametrize("name", ["width", "hidden_width", "hidden_layers"])
@pytest.mark.parametrize("value", [0, -128])
def test_nothing_wide_or_deep_is_refused(name: str, value: int) -> None:
    with pytest.raises(RequestError, match=rf"^projection\.{name} must be at least 1, got {value}\.$"):
        ProjectionConfig(**{name: value})  # type: ignore[arg-type]

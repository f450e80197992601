import pytest

from supcon.errors import RequestError
from supcon.projection.config import ProjectionConfig


def test_the_papers_width() -> None:
    assert ProjectionConfig().width == 128


@pytest.mark.parametrize("width", [0, -128])
def test_no_width_is_refused(width: int) -> None:
    with pytest.raises(RequestError, match=rf"^projection\.width must be at least 1, got {width}\.$"):
        ProjectionConfig(width=width)

import pytest

from supcon.encoder.config import EncoderConfig
from supcon.errors import RequestError


def test_the_paper_normalises() -> None:
    assert EncoderConfig().normalize_representation


@pytest.mark.parametrize("width", [0, -1])
def test_no_channels_are_refused(width: int) -> None:
    with pytest.raises(RequestError, match=rf"^encoder\.width must be at least 1, got {width}\.$"):
        EncoderConfig(width=width)

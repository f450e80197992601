"""Tiles so small that few rows make many of them."""

from collections.abc import Iterator

import pytest

from supcon.losses import tiles


@pytest.fixture(params=["one tile", "many tiles"])
def tile_regime(request: pytest.FixtureRequest) -> Iterator[None]:
    """Runs a test both ways: with the matrix as a whole, and in ragged tiles of rows sorted by class."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "many tiles":
            patch.setattr(tiles, "CPU_TILE", tiles.TileShape(4, 7))
            patch.setattr(tiles, "FEW_PAIRS", 0)
        yield

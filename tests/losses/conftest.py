"""Tiles so small that few rows make many of them."""

from collections.abc import Iterator

import pytest

from supcon.losses import symmetric_log_sum_exp, tiles

REGIMES = ("one step", "whole matrix", "one tile", "many tiles")


@pytest.fixture(params=REGIMES)
def tile_regime(request: pytest.FixtureRequest) -> Iterator[None]:
    """Runs a test every way that there is, from few rows in one step to ragged tiles of rows sorted by class."""
    regime = REGIMES.index(request.param)
    with pytest.MonkeyPatch.context() as patch:
        if regime >= 1:
            patch.setattr(tiles, "QUICKEST_PAIRS", 0)
        if regime >= 2:
            patch.setattr(tiles, "VERY_FEW_PAIRS", 0)
        if regime >= 3:
            patch.setattr(tiles, "CPU_TILE", tiles.TileShape(4, 7))
            patch.setattr(tiles, "FEW_PAIRS", 0)
            patch.setattr(symmetric_log_sum_exp, "KEPT_PAIRS", 60)  # two or three tiles
        yield

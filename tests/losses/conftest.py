"""Runs tests every way that there is: the dense matrix, and tiles so small that few rows make many of them."""

from collections.abc import Iterator

import pytest

from supcon.losses import engine
from supcon.losses.engine import tile_shapes

WAYS = ("dense", "tiles", "tiles as on a GPU")


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """The dense matrix; ragged tiles with bands of classes; and without them, where every tile has masks."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param != "dense":
            patch.setattr(engine, "FEW_PAIRS", -1)
            patch.setattr(tile_shapes, "CPU_TILE", tile_shapes.TileShape(4, 7, kept=60))  # two or three tiles
        if request.param == "tiles as on a GPU":
            patch.setattr(tile_shapes, "HOST_KNOWS_CLASSES", ())
        yield request.param

"""How much every corruption changes two photographs, against the originals (`references/published`)."""

from math import sqrt
from typing import Any

import pytest
import torch

from references.published_tables import Row, photograph, read_table
from supcon.evaluation import CORRUPTIONS, EXTRA_CORRUPTIONS, corrupt
from supcon.evaluation.corruptions.frost.ice_photographs import photographs_folder

TABLE = read_table("corruptions")
CASES = sorted({(row["corruption"], int(row["side"])) for row in TABLE})
DRAWS = {224: 6, 32: 60}


def changes(row: Row, draws: int, **options: Any) -> torch.Tensor:
    """Mean absolute change of the row's photograph, for each of `draws` indices."""
    images = photograph(row["photograph"], int(row["side"])).expand(draws, -1, -1, -1).contiguous()
    changed = corrupt(images, row["corruption"], int(row["severity"]), **options)
    return (changed.float() - images.float()).abs().mean((1, 2, 3)).double()


def assert_as_strong(row: Row, ours: torch.Tensor, within: float) -> None:
    """Within a share of the original's mean, and four standard errors of both means."""
    theirs, count = float(row["mean_change"]), int(row["draws"])
    spread = float(ours.std()) if len(ours) > 1 else 0.0
    doubt = 4 * sqrt(float(row["deviation"]) ** 2 / count + spread**2 / len(ours))
    assert abs(float(ours.mean()) - theirs) <= within * theirs + doubt, row


@pytest.mark.parametrize(("name", "side"), [case for case in CASES if case[0] != "frost"])
def test_corruptions_are_as_strong_as_the_originals(name: str, side: int) -> None:
    rows = [row for row in TABLE if (row["corruption"], int(row["side"])) == (name, side)]
    assert {int(row["severity"]) for row in rows} == {1, 2, 3, 4, 5}
    for row in rows:
        assert_as_strong(row, changes(row, 1 if row["draws"] == "1" else DRAWS[side]), 0.03)


@pytest.mark.parametrize("texture", ["photographs", "own"])
@pytest.mark.parametrize("side", [32, 224])
def test_frost_is_as_strong_as_the_original(side: int, texture: str) -> None:
    if texture == "photographs" and photographs_folder() is None:
        pytest.skip("the package imagecorruptions is not installed")
    for row in (row for row in TABLE if (row["corruption"], int(row["side"])) == ("frost", side)):
        ours = changes(row, 200 if side == 32 else 40, texture=texture)
        assert_as_strong(row, ours, 0.02 if texture == "photographs" else 0.05)
        # As uneven from image to image, too.
        assert float(ours.std()) == pytest.approx(float(row["deviation"]), rel=0.25)


def test_every_corruption_has_rows() -> None:
    names = set(CORRUPTIONS + EXTRA_CORRUPTIONS)
    assert {name for name, side in CASES if side == 224} == names
    assert {name for name, side in CASES if side == 32} == names - {"motion_blur", "snow"}

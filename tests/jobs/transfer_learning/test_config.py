import math
from itertools import pairwise

import pytest

from supcon.jobs.transfer_learning.config import TransferConfig


def test_the_grids_are_those_of_the_protocol() -> None:
    grid = TransferConfig().candidates
    assert len(grid) == len(set(grid)) == 7 * 8
    rates = sorted({candidate.lr for candidate in grid})
    assert [rates[0], rates[-1]] == pytest.approx([1e-4, 0.1])
    assert [b / a for a, b in pairwise(rates)] == pytest.approx([math.sqrt(10)] * 6)
    decays = sorted({candidate.weight_decay for candidate in grid})
    assert decays[:2] == [0.0, pytest.approx(1e-6)]
    assert decays[-1] == pytest.approx(1e-3)
    penalties = [candidate.weight_decay for candidate in TransferConfig(protocol="linear").candidates]
    assert len(penalties) == 45
    assert [max(penalties), min(penalties)] == pytest.approx([1e5, 1e-6])
    assert len(TransferConfig(grid="small").candidates) == 3
    assert len({candidate.title for candidate in grid}) == 56


def test_values_that_are_not_set_are_no_settings() -> None:
    """Validation scores that were stored before an option existed stay valid."""
    assert "micro_batch" not in TransferConfig().settings
    assert TransferConfig(micro_batch=8).settings["micro_batch"] == 8
    assert TransferConfig().settings["crop_area"] == [0.08, 1.0]

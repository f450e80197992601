"""The rows that a loss sees; `test_gathering` has those of several processes."""

import pytest
import torch

from supcon.losses.inputs.flat_rows import FlatRows
from supcon.losses.inputs.loss_batch import LossBatch, collect


def test_a_batch_of_one_process_is_all_its_own() -> None:
    batch = collect(torch.randn(4, 2, 3), torch.arange(4), gather_distributed=True)
    assert (batch.first, batch.count, batch.shared) == (0, 8, False)
    assert batch.flat.label.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_half_precision_becomes_float32_and_nothing_else_changes(dtype: torch.dtype) -> None:
    expected = torch.float64 if dtype == torch.float64 else torch.float32
    assert collect(torch.randn(2, 2, 3).to(dtype), None).flat.projections.dtype == expected


def test_what_the_caller_checks_sees_the_rows_before_anything_else() -> None:
    def check(flat: FlatRows) -> None:
        assert flat.views == 2
        raise ValueError("refused")

    with pytest.raises(ValueError, match="refused"):
        collect(torch.randn(2, 2, 3), None, check=check, pair_weights=torch.ones(1, 1))


def test_pair_weights_must_fit() -> None:
    assert collect(torch.randn(2, 2, 3), None, pair_weights=torch.ones(4, 4)).count == 4
    with pytest.raises(ValueError, match=r"pair_weights must have shape \[4, 4\], own rows and all rows, got \[2, 2\]"):
        collect(torch.randn(2, 2, 3), None, pair_weights=torch.ones(2, 2))


def test_values_of_anchors_are_spread_over_rows() -> None:
    batch = LossBatch(FlatRows(torch.zeros(9, 1), torch.zeros(9), 3), first=3, count=6, shared=True)
    assert batch.spread(torch.tensor([1.0, 2.0]), 3).tolist() == [1, 0, 0, 2, 0, 0]
    assert batch.spread(torch.tensor([True, True]), 3).tolist() == [True, False, False, True, False, False]
    values = torch.rand(6)
    assert batch.spread(values, 1) is values

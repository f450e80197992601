import numpy as np
import pytest
import torch

from supcon.evaluation.as_numpy import as_numpy


@pytest.mark.parametrize("dtype", [torch.bool, torch.int64, torch.float32, torch.float16, torch.bfloat16])
def test_tensors_become_arrays_of_the_same_values(dtype: torch.dtype) -> None:
    tensor = torch.tensor([0, 1, 3]).to(dtype)
    array = as_numpy(tensor)
    assert isinstance(array, np.ndarray)
    assert array.tolist() == tensor.tolist()
    assert array.dtype == (np.float64 if dtype.is_floating_point else tensor.numpy().dtype)


def test_gradients_are_left_behind() -> None:
    assert as_numpy(torch.ones(2, requires_grad=True)).tolist() == [1.0, 1.0]


def test_arrays_are_not_copied() -> None:
    array = np.arange(3.0, dtype=np.float32)
    assert as_numpy(array) is array

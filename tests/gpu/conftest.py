"""One GPU for every test here: the machine's, or an emulated one."""

from collections.abc import Iterator
from contextlib import nullcontext

import pytest
import torch

from references.emulated_gpu import emulated_gpu

REAL = torch.cuda.is_available()


@pytest.fixture(autouse=True, scope="session")
def gpu() -> Iterator[list[str] | None]:
    with nullcontext() if REAL else emulated_gpu() as reads:
        yield reads


@pytest.fixture
def reads(gpu: list[str] | None) -> list[str] | None:
    """The reads of values of the emulated GPU since the test began; None on a real one, which does not count them."""
    if gpu is not None:
        gpu.clear()
    return gpu

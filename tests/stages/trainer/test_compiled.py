"""torch.compile for as long as a stage trains, micro-batches included."""

import tempfile
from collections.abc import Iterator

import pytest
import torch
from torch import nn

from supcon.stages.gradient_cache import in_micro_batches
from supcon.stages.trainer.compiled import compiled


@pytest.fixture
def own_compiler_cache(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """torch's own in /tmp gives code that was made for other instructions than those of now, and it does not compile.

    Not in tmp_path, which may be in memory: code in /dev/shm must not run everywhere.
    """
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", folder)
        yield


def network() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 4))


@pytest.mark.usefixtures("own_compiler_cache")
@pytest.mark.filterwarnings("ignore")  # the compiler's own
def test_a_compiled_network_learns_the_same_and_keeps_its_names() -> None:
    plain, fast, rows = network(), network(), torch.randn(16, 6, generator=torch.Generator().manual_seed(1))
    in_micro_batches(plain, rows, 4).square().sum().backward()
    with compiled(fast, True):
        in_micro_batches(fast, rows, 4).square().sum().backward()
        assert list(fast.state_dict()) == list(plain.state_dict())
    for mine, theirs in zip(fast.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(mine.grad, theirs.grad, rtol=1e-4, atol=1e-5)
    for name, value in plain.state_dict().items():
        torch.testing.assert_close(fast.state_dict()[name], value)
    assert fast._compiled_call_impl is None


def test_nothing_is_compiled_unasked() -> None:
    module = network()
    with compiled(module, False):
        assert module._compiled_call_impl is None

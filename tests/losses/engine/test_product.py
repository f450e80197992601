"""Matrix products in full precision, differentiable twice."""

import subprocess
import sys
from typing import Any

import pytest
import torch
from torch import Tensor

from supcon.losses import supcon_loss
from supcon.losses.engine.product import full_precision, product

# The compiler looks at the gradients of tensors that are not leaves.
pytestmark = pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("precision", ["high", "medium"])
def test_low_precision_products_are_not_used(precision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """TF32 and bfloat16 are for the encoder: here every product is asked for in full precision."""
    asked: list[str] = []

    def noting(call: Any) -> Any:
        def noted(*args: Any, **options: Any) -> Any:
            asked.append(torch.get_float32_matmul_precision())
            return call(*args, **options)

        return noted

    monkeypatch.setattr(Tensor, "mm", noting(Tensor.mm))
    monkeypatch.setattr(torch, "addmm", noting(torch.addmm))
    projections, labels = torch.randn(8, 2, 4, requires_grad=True), torch.arange(8) % 3
    torch.set_float32_matmul_precision(precision)
    try:
        supcon_loss(projections, labels).backward()
        assert torch.get_float32_matmul_precision() == precision
    finally:
        torch.set_float32_matmul_precision("highest")
    assert set(asked) == {"highest"}


@pytest.mark.parametrize("with_itself", [True, False])
def test_the_product_can_be_differentiated_twice(with_itself: bool) -> None:
    anchors = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    columns = None if with_itself else torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    given = (anchors,) if columns is None else (anchors, columns)
    other = anchors if columns is None else columns

    def call(*vectors: Tensor) -> Tensor:
        return product(vectors[0], vectors[1] if len(vectors) > 1 else None)

    torch.testing.assert_close(call(*given), anchors @ other.t())
    assert torch.autograd.gradcheck(call, given)
    assert torch.autograd.gradgradcheck(call, given)


def test_autocast_does_not_lower_the_precision() -> None:
    anchors, columns = torch.randn(6, 8), torch.randn(5, 8)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = product(anchors, columns)
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, anchors @ columns.t())


def test_the_callers_precision_comes_back_after_an_error() -> None:
    torch.set_float32_matmul_precision("medium")
    try:
        with pytest.raises(RuntimeError, match="shapes cannot be multiplied"), full_precision():
            torch.ones(2, 3).mm(torch.ones(2, 3))
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision("highest")


HAS_BACKEND_SETTINGS = hasattr(torch.backends.mkldnn, "matmul")
SETTERS = {
    "cuda": 'torch.backends.cuda.matmul.fp32_precision = "tf32"',
    "mkldnn": 'torch.backends.mkldnn.matmul.fp32_precision = "bf16"',
    "all backends": 'torch.backends.fp32_precision = "tf32"',
    "both ways": 'torch.set_float32_matmul_precision("high"); torch.backends.cuda.matmul.fp32_precision = "ieee"',
    "both ways, reversed": 'torch.backends.fp32_precision = "tf32"; torch.set_float32_matmul_precision("medium")',
}
WITH_A_SETTER = """
import torch
from supcon.losses import engine, supcon_loss
from supcon.losses.engine.product import full_precision

def settings():
    matmul = torch.backends.cuda.matmul.fp32_precision, torch.backends.mkldnn.matmul.fp32_precision
    return *matmul, torch.backends.fp32_precision

def with_gradient(loss, dtype):
    own = rows.to(dtype, copy=True).requires_grad_()
    value = loss(own, labels)
    value.backward()
    return value.double(), own.grad.double()

torch.manual_seed(0)
rows, labels = torch.randn(16, 2, 8), torch.arange(16) % 3
expected = with_gradient(supcon_loss, torch.float64)
SETTER
before = settings()
with full_precision():
    assert set(settings()[:2]) <= {"ieee", "none"}
    assert torch.get_float32_matmul_precision() == "highest"
for pairs in (engine.FEW_PAIRS, -1):
    engine.FEW_PAIRS = pairs
    torch.compiler.reset()
    for loss in (supcon_loss, torch.compile(supcon_loss, fullgraph=True, backend="aot_eager")):
        torch.testing.assert_close(with_gradient(loss, torch.float32), expected, rtol=1e-5, atol=1e-7)
        assert settings() == before, (settings(), before)
torch.backends.fp32_precision = "ieee"
print(*settings()[:2])
"""


@pytest.mark.skipif(not HAS_BACKEND_SETTINGS, reason="this torch has one setting for all backends")
@pytest.mark.parametrize("setter", SETTERS)
def test_the_precision_of_each_backend_is_respected_and_restored(setter: str) -> None:
    """In a process of its own: these settings cannot be undone completely."""
    script = WITH_A_SETTER.replace("SETTER", SETTERS[setter])
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    if setter == "all backends":  # a later choice for all backends has its effect
        assert done.stdout.split() == ["ieee", "ieee"]

"""The operators: checked by torch, compiled without a graph break, exported, and what torch.func makes of them."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from supcon.losses import MemoryQueue, SupConLoss, engine
from supcon.losses.engine.product import inner_products
from supcon.losses.engine.tile_operator import Numbers, pair_sums, pair_sums_backward

# The compiler looks at the gradients of tensors that are not leaves.
pytestmark = pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")
OPTIONS: dict[str, dict[str, Any]] = {
    "Eq. 2": {},
    "Eq. 3": {"summation": "in", "anchors": "first_view"},
    "one positive": {"denominator": "one_positive", "normalize": False},
    "cap": {"max_positives": 3, "denominator": "negatives"},
    "learned temperature": {"temperature": nn.Parameter(torch.tensor(0.2))},
}


class Model(nn.Module):
    """A projection and its loss."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.projection = nn.Linear(6, 4)
        self.loss = SupConLoss(**options)

    def forward(self, images: Tensor, labels: Tensor | None, **extra: Any) -> Tensor:
        projections: Tensor = self.projection(images)
        loss: Tensor = self.loss(projections * 2, labels, **extra)
        return loss + 1


def with_gradients(model: Any, parameters: list[nn.Parameter], *args: Any, **extra: Any) -> tuple[Tensor, ...]:
    torch.manual_seed(3)  # for what a cap keeps
    loss = model(*args, **extra)
    return loss, *torch.autograd.grad(loss, parameters)


def assert_compiled_equals_eager(model: Model, labels: Tensor | None, backend: str = "aot_eager", **extra: Any) -> None:
    torch.compiler.reset()
    compiled, parameters = torch.compile(model, fullgraph=True, backend=backend), list(model.parameters())
    images = torch.randn(6, 2, 6)
    expected = with_gradients(model, parameters, images, labels, **extra)
    torch.testing.assert_close(with_gradients(compiled, parameters, images, labels, **extra), expected)


@pytest.mark.parametrize("few", [2**20, -1], ids=["dense", "tiles"])
@pytest.mark.parametrize("name", OPTIONS)
def test_a_compiled_model_has_no_graph_break_and_the_same_gradients(
    name: str, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "FEW_PAIRS", few)
    torch.manual_seed(0)
    assert_compiled_equals_eager(Model(**OPTIONS[name]), torch.arange(6) % 3)


@pytest.mark.parametrize("few", [2**20, -1], ids=["dense", "tiles"])
def test_so_has_one_with_weights_or_with_a_queue(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "FEW_PAIRS", few)
    torch.manual_seed(0)
    assert_compiled_equals_eager(Model(), None, pair_weights=torch.rand(12, 12))
    queue = MemoryQueue(16, 4)
    queue.enqueue(torch.randn(10, 4), torch.arange(10) % 4)  # 6 slots are empty, which a compiled graph has to mask
    assert_compiled_equals_eager(Model(summation="in"), torch.arange(6) % 3, queue=queue)


def test_inductor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if shutil.which("g++") is None:
        pytest.skip("inductor needs a C++ compiler")
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    torch.manual_seed(0)
    for few in (2**20, -1):
        monkeypatch.setattr(engine, "FEW_PAIRS", few)
        assert_compiled_equals_eager(Model(), torch.arange(6) % 3, backend="inductor")


@pytest.mark.parametrize("few", [2**20, -1], ids=["dense", "tiles"])
def test_an_exported_module_gives_the_same_loss(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "FEW_PAIRS", few)
    model, images, labels = Model(summation="in"), torch.randn(6, 2, 6), torch.arange(6) % 3
    exported = torch.export.export(model, (images, labels))
    torch.testing.assert_close(exported.module()(images, labels), model(images, labels))


def arguments(over: str, positive: str, *, half: bool) -> tuple[Any, ...]:
    anchors = torch.randn(6, 3, requires_grad=True)
    columns = None if half else torch.randn(6, 3, requires_grad=True)
    table = torch.tensor([[0.0, 0, 0, 1, 1, 2], [0, 1, 2, 3, 4, 5]])
    queue_table = torch.tensor([[0.0, 1, 5], [-1, -1, -2]])
    n = torch.randn(6, requires_grad=True) if positive.startswith("one_positive") else None
    numbers = list(Numbers(max_positives=-1, first=0, step=1, counts_negatives=1, in_range=1))
    tables = [table, table, queue_table]
    return anchors, columns, torch.randn(3, 3), n, None, tables, over, positive, numbers, True


@pytest.mark.parametrize("half", [True, False])
@pytest.mark.parametrize(
    ("over", "positive"), [("others", "none"), ("negatives", "log_sum_exp"), ("none", "one_positive_out")]
)
def test_opcheck(over: str, positive: str, half: bool) -> None:
    given = arguments(over, positive, half=half)
    torch.library.opcheck(pair_sums, given)
    saved, gradients = [out.detach() for out in pair_sums(*given)], [torch.randn(6), torch.randn(6)]
    *rest, _ = [value.detach() if isinstance(value, Tensor) else value for value in given]
    torch.library.opcheck(pair_sums_backward, (*rest, saved, gradients, False))
    torch.library.opcheck(inner_products, (given[0], given[1]))


def test_torch_func_works_on_a_dense_batch_and_is_refused_on_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    model, images, labels = Model(), torch.randn(6, 2, 6), torch.arange(6) % 3
    weights = dict(model.named_parameters())

    def loss(weights: Mapping[str, Tensor]) -> Tensor:
        result: Tensor = torch.func.functional_call(model, dict(weights), (images, labels))
        return result

    found = torch.func.grad(loss)({name: weight.detach() for name, weight in weights.items()})
    expected = torch.autograd.grad(model(images, labels), list(weights.values()))
    torch.testing.assert_close(tuple(found.values()), expected)
    monkeypatch.setattr(engine, "FEW_PAIRS", -1)
    torch.testing.assert_close(loss(weights), model(images, labels))
    with pytest.raises(RuntimeError, match=r"no torch\.func transforms; use autograd, or a smaller batch"):
        torch.func.grad(loss)(weights)

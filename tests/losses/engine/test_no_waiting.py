"""On a GPU no value is copied to the host: tensors without values go through, and few operations are launched.

FakeTensorMode has tensors on "cuda" without a GPU; autograd's engine refuses those, so that backward runs on "meta",
and that of the tiles, which is a function, on "cuda". The code asks of a device only whether it is the CPU.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch._subclasses import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

from supcon.losses import MemoryQueue, engine, n_pairs_loss, supcon_loss, triplet_loss
from supcon.losses.engine import tile_operator

fake_cuda = pytest.mark.skipif(
    torch.__version__ < "2.11" and not torch.cuda.is_available(),
    reason="fake CUDA tensors of torch 2.7 to 2.10 need a driver",
)
CASES: dict[str, dict[str, Any]] = {
    "Eq. 2": {},
    "Eq. 3": {"summation": "in"},
    "one positive": {"denominator": "one_positive"},
    "negatives": {"denominator": "negatives"},
    "cap": {"max_positives": 3},
    "first view": {"anchors": "first_view"},
    "inner products": {"normalize": False},
    "low temperature": {"temperature": 0.01},
    "queue": {"queue": 64},
    "queue and cap": {"queue": 64, "max_positives": 3},
    "queue alone": {"queue": 64, "replaces_batch_negatives": True},
    "weights": {"pair_weights": True},
}


def inputs(case: str, batch: int, device: str) -> tuple[Tensor, Tensor, dict[str, Any]]:
    options = dict(CASES[case])
    if "queue" in options:
        size, replaces = options.pop("queue"), options.pop("replaces_batch_negatives", False)
        options["queue"] = MemoryQueue(size, 8, replaces_batch_negatives=replaces).to(device)
    if "pair_weights" in options:
        options["pair_weights"] = torch.ones(2 * batch, 2 * batch, device=device)
    projections = torch.randn(batch, 2, 8, device=device, requires_grad=True)
    return projections, torch.zeros(batch, dtype=torch.int64, device=device), options


class Count(TorchDispatchMode):
    """Counts operations, but for those that only look at memory in another way."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.names: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        # A view starts nothing on a GPU, nor does making room.
        if not func.is_view and "empty" not in str(func) and "detach" not in str(func) and "supcon" not in str(func):
            self.names.append(str(func))
        return func(*args, **(kwargs or {}))


def run_tiles_in_the_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """The functions behind the operators in their place: the operators themselves would not run on fake tensors."""
    forward, backward = (op._init_fn for op in (tile_operator.pair_sums, tile_operator.pair_sums_backward))

    class Opened(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *given: Any) -> Any:
            output = forward(*given)
            tile_operator._setup(ctx, given, output)
            return output

        @staticmethod
        def backward(ctx: Any, *gradients: Tensor) -> Any:
            gradients_of_inputs = list(tile_operator._backward(ctx, *gradients))
            gradients_of_inputs[5] = None
            return tuple(gradients_of_inputs)

    monkeypatch.setattr("supcon.losses.engine.tiled.pair_sums", Opened.apply)
    monkeypatch.setattr(tile_operator, "pair_sums_backward", backward)


@fake_cuda
@pytest.mark.parametrize("few", [2**20, -1], ids=["dense", "tiles"])
@pytest.mark.parametrize("case", CASES)
def test_no_value_is_asked_for(case: str, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "FEW_PAIRS", few)
    run_tiles_in_the_open(monkeypatch)
    with FakeTensorMode():
        projections, labels, options = inputs(case, 20, "cuda")
        assert supcon_loss(projections, labels, **options).device.type == "cuda"
    projections, labels, options = inputs(case, 20, "meta")
    supcon_loss(projections, labels, **options).backward()
    assert projections.grad is not None


@fake_cuda
@pytest.mark.parametrize("half", [True, False])
def test_the_tiles_backward_asks_for_none_on_cuda(half: bool) -> None:
    forward, backward = (op._init_fn for op in (tile_operator.pair_sums, tile_operator.pair_sums_backward))
    with FakeTensorMode():
        rows, table = torch.randn(9000, 16, device="cuda"), torch.zeros(2, 9000, device="cuda")
        given = (
            rows,
            None if half else rows,
            None,
            None,
            None,
            [table, table],
            "others",
            "log_sum_exp",
            [-1, 0, 1, 1, 1],
        )
        log_sum, positive, kept = forward(*given, True)
        result, *_ = backward(*given, [log_sum, positive, kept], [log_sum, positive], False)
        assert result.shape == rows.shape


@fake_cuda
def test_a_queue_is_filled_without_asking() -> None:
    with FakeTensorMode():
        queue = MemoryQueue(16, 8).to("cuda")
        queue.enqueue(torch.randn(5, 2, 8, device="cuda"), torch.zeros(5, dtype=torch.int64, device="cuda"))
        queue.reset()


@fake_cuda
@pytest.mark.parametrize("function", [n_pairs_loss, triplet_loss])
def test_nor_do_the_special_cases_ask(function: Callable[..., Tensor]) -> None:
    with FakeTensorMode():
        projections, labels, _ = inputs("Eq. 2", 20, "cuda")
        loss = function(projections, labels)
        assert (loss.device.type, loss.shape) == ("cuda", ())


@pytest.mark.parametrize(("case", "batch", "most"), [("Eq. 2", 64, 72), ("Eq. 2", 4096, 150), ("Eq. 3", 4096, 270)])
def test_how_many_operations_a_step_has(case: str, batch: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    run_tiles_in_the_open(monkeypatch)
    monkeypatch.setattr("supcon.losses.engine.product.inner_products", lambda a, c: a @ (a if c is None else c).t())
    projections, labels, options = inputs(case, batch, "meta")
    with Count() as count:
        supcon_loss(projections, labels, **options).backward()
    assert len(count.names) <= most, (len(count.names), sorted(count.names))


@fake_cuda
@pytest.mark.parametrize("case", ["Eq. 2", "Eq. 3"])
def test_gathered_rows_ask_for_none_either(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes are exchanged between hosts; the collectives of a group that does not exist leave results as they are."""
    from torch.testing._internal.distributed.fake_pg import FakeStore

    from supcon.losses.inputs import gathering

    torch.distributed.init_process_group("fake", store=FakeStore(), rank=0, world_size=2)
    try:
        monkeypatch.setattr(gathering, "exchange", lambda numbers, group: [numbers, numbers])
        with FakeTensorMode():
            projections, labels, options = inputs(case, 20, "cuda")
            loss = supcon_loss(projections, labels, gather_distributed=True, **options)
            assert (loss.device.type, loss.shape) == ("cuda", ())
    finally:
        torch.distributed.destroy_process_group()

"""A GPU that computes on the CPU and refuses what a GPU would refuse.

Inside `emulated_gpu()` torch finds one CUDA device, and "cuda" means the emulated one, which calls itself "emu". Its
tensors are apart from the CPU's: an operation on both raises an error unless the one on the CPU is a single number or
an index, a random generator of the CPU cannot fill them, and `numpy()` needs `cpu()` first. Values of the device that
Python reads, for which a GPU would have to be waited for, are listed. Results are those of the CPU's operations, so
that a test can compare them. What it cannot show: what a real GPU computes differently, how fast, and in how much
memory.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pytest
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils import backend_registration
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

NAME = "emu"
CPU = torch.device("cpu")
_INDEXING = ("aten::index", "aten::index_put", "aten::index_put_", "aten::_index_put_impl_")
_COPIES = ("aten::_to_copy", "aten::to", "aten::copy_", "aten::lift_fresh")
_READS = ("aten::_local_scalar_dense", "aten::is_nonzero", "aten::equal", "aten::item", "aten::nonzero")
_OF_VALUES = (torch.tensor, torch.as_tensor)

_AUTOCAST = torch.library.Library("_", "IMPL", "AutocastPrivateUse1")

needs_python_devices = pytest.mark.skipif(
    not hasattr(backend_registration, "_setup_privateuseone_for_python_backend"),
    reason="this torch has no devices that are written in Python",
)


class EmulatedTensor(Tensor):
    """A tensor on the emulated GPU, whose values are in `on_cpu`, a tensor on the CPU."""

    on_cpu: Tensor

    @staticmethod
    def __new__(cls, on_cpu: Tensor) -> "EmulatedTensor":
        with torch.inference_mode(False):
            tensor = torch.Tensor._make_wrapper_subclass(
                cls,
                on_cpu.shape,
                strides=on_cpu.stride(),
                storage_offset=on_cpu.storage_offset(),
                dtype=on_cpu.dtype,
                device=torch.device(NAME, 0),
            )
        tensor.on_cpu = on_cpu
        return tensor

    def __repr__(self) -> str:  # type: ignore[override]
        return f"emulated {self.on_cpu!r}"

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.on_cpu.__reduce_ex__(protocol)  # in a file it is a plain tensor

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return _compute(func, args, kwargs or {})


class _Operations(TorchDispatchMode):
    """Makes the tensors that are created on the device; lists the reads of its values."""

    def __init__(self, reads: list[str]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.reads = reads

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func._schema.name in _READS and _emulated((args, kwargs)):
            self.reads.append(func._schema.name)
        return _compute(func, args, kwargs or {})


class _Functions(TorchFunctionMode):
    """What no dispatch mode sees: "cuda" for the device, copies of Python's numbers to it, and `tolist()`."""

    def __init__(self, reads: list[str]) -> None:
        super().__init__()
        self.reads = reads

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        if kwargs.get("device") is not None:
            kwargs["device"] = _own(kwargs["device"])
        args = tuple(_own(arg) if isinstance(arg, torch.device) or func is Tensor.to else arg for arg in args)
        if func in _OF_VALUES and _is_own(kwargs.get("device")):
            return func(*args, **{**kwargs, "device": CPU}).to(kwargs["device"])
        if func is Tensor.new_tensor and isinstance(args[0], EmulatedTensor):
            return args[0].on_cpu.new_tensor(*args[1:], **kwargs).to(args[0].device)
        if func is Tensor.cuda:
            return args[0].to(torch.device(NAME, 0))
        if func is Tensor.tolist and isinstance(args[0], EmulatedTensor):
            self.reads.append("tolist")
            return args[0].on_cpu.tolist()
        return func(*args, **kwargs)


def _own(device: Any) -> Any:
    """The emulated device in place of CUDA's."""
    if isinstance(device, torch.device):
        return torch.device(NAME, 0) if device.type == "cuda" else device
    return torch.device(NAME, 0) if isinstance(device, str) and device.startswith("cuda") else device


def _is_own(device: Any) -> bool:
    return device is not None and torch.device(device).type == NAME


def _emulated(tree: Any) -> list[EmulatedTensor]:
    return [leaf for leaf in tree_flatten(tree)[0] if isinstance(leaf, EmulatedTensor)]


def _compute(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Runs an operation on the tensors' values; its results are on the device if an argument is, or if it is named."""
    name = func._schema.name
    # In inference mode `to` comes whole, with the device among its positional arguments.
    device = kwargs.get("device") or next((arg for arg in args if isinstance(arg, torch.device)), None)
    if not (_is_own(device) or _emulated((args, kwargs))):
        return func(*args, **kwargs)
    if not name.startswith(_COPIES):
        _refuse_other_devices(name, args, kwargs)
    if (generator := kwargs.get("generator")) is not None and generator.device.type != NAME:
        raise RuntimeError(f"{name}: Expected a 'cuda' device type for generator but found '{generator.device}'")
    plain = tree_map(_on_cpu, (args, kwargs))
    found = func(*plain[0], **plain[1])
    if device is not None and not _is_own(device):
        return found
    if func._schema.is_mutable and isinstance(found, Tensor):
        return kwargs.get("out", args[0])
    return tree_map(lambda leaf: EmulatedTensor(leaf) if isinstance(leaf, Tensor) else leaf, found)


def _on_cpu(leaf: Any) -> Any:
    if isinstance(leaf, EmulatedTensor):
        return leaf.on_cpu
    return CPU if isinstance(leaf, torch.device) and _is_own(leaf) else leaf


def _refuse_other_devices(name: str, args: Any, kwargs: Any) -> None:
    leaves = tree_flatten((args[:1] if name in _INDEXING else args, kwargs))[0]
    for leaf in leaves:
        if isinstance(leaf, Tensor) and not isinstance(leaf, EmulatedTensor) and leaf.ndim > 0:
            raise RuntimeError(
                f"{name}: Expected all tensors to be on the same device, but found at least two devices, {leaf.device} "
                f"and cuda (a tensor of shape {list(leaf.shape)} is on the CPU)"
            )


class _Module:
    """What torch asks of the module of a device."""

    def is_initialized(self) -> bool:
        return True

    def is_available(self) -> bool:
        return True

    def current_device(self) -> int:
        return 0

    def _is_in_bad_fork(self) -> bool:
        return False

    def manual_seed_all(self, seed: int) -> None:
        pass

    def device_count(self) -> int:
        return 1

    def get_amp_supported_dtype(self) -> list[torch.dtype]:
        return [torch.bfloat16, torch.float16]


_CUDA: dict[str, Any] = {
    "is_available": lambda: True,
    "device_count": lambda: 1,
    "current_device": lambda: 0,
    "is_initialized": lambda: True,
    "set_device": lambda device: None,
    "synchronize": lambda device=None: None,
    "empty_cache": lambda: None,
    "get_device_name": lambda device=None: "emulated GPU",
    "get_device_capability": lambda device=None: (8, 0),
    "mem_get_info": lambda device=None: (8 * 10**9, 16 * 10**9),
    "memory_allocated": lambda device=None: 0,
    "manual_seed": lambda seed: None,
    "manual_seed_all": lambda seed: None,
    "get_rng_state_all": list,
    "set_rng_state_all": lambda states: None,
    "is_bf16_supported": lambda including_emulation=True: True,
}
"""What `torch.cuda` answers."""


@contextmanager
def emulated_gpu() -> Iterator[list[str]]:
    """Inside, torch has one GPU; gives the list of the reads of its values."""
    if torch._C._get_privateuse1_backend_name() != NAME:  # once in a process
        backend_registration._setup_privateuseone_for_python_backend(NAME, _Module())
        # Autocast changes no types: what it does to them is no matter of the device.
        _AUTOCAST.fallback(torch.library.fallthrough_kernel)
    reads: list[str] = []
    torch.__future__.set_swap_module_params_on_conversion(True)
    try:
        with (
            mock.patch.multiple("torch.cuda", **_CUDA),
            mock.patch.object(Tensor, "pin_memory", lambda tensor, *_: tensor),
            _Operations(reads),
            _Functions(reads),
        ):
            yield reads
    finally:
        torch.__future__.set_swap_module_params_on_conversion(False)

"""Checks every jaxtyping annotation of the package while its tests run; users pay nothing for it."""

import gc
import os
from importlib import import_module
from pathlib import Path

import pytest
from jaxtyping import install_import_hook

# As many tests run at once as there are cores (`make test`): each has one, and so have the processes it starts.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ["OMP_NUM_THREADS"] = "1"

# Nothing here is about power loss, and a sync of a file takes milliseconds on a disk: files are in memory if there is
# room for them.
_MEMORY = Path("/dev/shm")
if "PYTEST_DEBUG_TEMPROOT" not in os.environ and os.access(_MEMORY, os.W_OK):
    _free = os.statvfs(_MEMORY)
    if _free.f_bavail * _free.f_frsize > 3 * 2**30:
        os.environ["PYTEST_DEBUG_TEMPROOT"] = str(_MEMORY)

# Before the hook: what a checked module imports for the first time is compiled from source, without Python's cache.
for _name in (
    "torch",
    "torchvision",
    "torchmetrics",
    "lightning",
    "timm",
    "sklearn",
    "scipy",
    "plotly",
    "jsonargparse",
):
    import_module(_name)

# A run collects garbage between its phases; these modules are a third of a second each time.
gc.freeze()

# supcon.losses stands on torch alone and checks shapes itself, for everybody.
_SOURCE = Path(__file__).parent / "src" / "supcon"
_PACKAGES = sorted(path.parent.name for path in _SOURCE.glob("*/__init__.py") if path.parent.name != "losses")
install_import_hook([f"supcon.{name}" for name in _PACKAGES], "typechecker.check")

_LONG = ("tests/jobs/test_survival.py", "tests/test_gpu.py", "tests/stages/trainer/test_lost_processes.py")
"""Files of few tests that take long: they come first, else one worker would have them left at the end."""


def pytest_unconfigure() -> None:
    gc.unfreeze()  # else extension modules report the frozen objects as leaks when the interpreter ends


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not item.nodeid.startswith(_LONG))

"""Checks every jaxtyping annotation of the package while its tests run; users pay nothing for it."""

import os
from pathlib import Path

from jaxtyping import install_import_hook

# As many tests run at once as there are cores (`make test`): each has one, and so have the processes it starts.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ["OMP_NUM_THREADS"] = "1"

# supcon.losses stands on torch alone and checks shapes itself, for everybody.
_SOURCE = Path(__file__).parent / "src" / "supcon"
_PACKAGES = sorted(path.parent.name for path in _SOURCE.glob("*/__init__.py") if path.parent.name != "losses")
install_import_hook([f"supcon.{name}" for name in _PACKAGES], "typechecker.check")

"""Checks every jaxtyping annotation of the package while its tests run; users pay nothing for it."""

import os

from jaxtyping import install_import_hook

# As many tests run at once as there are cores (`make test`): each has one, and so have the processes it starts.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ["OMP_NUM_THREADS"] = "1"

_ROOMS = ("data", "encoder", "evaluation", "projection", "serving", "stages", "views", "outputs", "pages", "pipeline")
# supcon.losses stands on torch alone and checks shapes itself, for everybody.
install_import_hook([f"supcon.{room}" for room in _ROOMS], "typechecker.check")

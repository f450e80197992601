"""Checks every jaxtyping annotation of the package while its tests run; users pay nothing for it."""

from jaxtyping import install_import_hook

_ROOMS = ("data", "encoder", "evaluation", "projection", "serving", "stages", "views", "outputs", "pages", "pipeline")
# supcon.losses stands on torch alone and checks shapes itself, for everybody.
install_import_hook([f"supcon.{room}" for room in _ROOMS], "typechecker.check")

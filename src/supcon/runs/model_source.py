"""What a model is loaded from. Imports no torch, so that a wrong path is reported within a second."""

import re
from pathlib import Path

from supcon.base.checked_arguments import checked_path
from supcon.base.errors import RequestError
from supcon.runs.run import Run, missing_folder, open_complete_run

_HUB_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*")
"""`OWNER/NAME`, which is also what a path of two parts looks like."""


def model_path(source: str | Path) -> Path | None:
    """The file or folder of a model; None for what can only be a name on the Hugging Face hub.

    Raises an error for anything else: a folder that is neither a finished run nor exported, or a mistyped path.
    """
    path = checked_path(source, "The model")
    if path.is_file():
        if path.suffix != ".safetensors":
            raise RequestError(f"{path} is not a .safetensors file; give one, or the folder of a run.")
        return path
    if not path.exists() and _is_hub_name(str(source)):
        return None
    if not path.exists() and path.suffix == ".safetensors":
        raise RequestError(f"There is no file {path}; give an existing .safetensors file, or the folder of a run.")
    if not path.exists():
        raise RequestError(missing_folder(path, "give the folder of a run, a .safetensors file or a name on the hub"))
    # An exported folder has no recipe; a run's folder is refused while the run is not finished.
    exported = Run(path).model_card_file.exists() and not Run(path).recipe_file.exists()
    return path if exported else open_complete_run(path).path


def _is_hub_name(source: str) -> bool:
    """Whether a text may name a model on the hub: a path into a folder that exists here is a mistyped path."""
    owner = source.partition("/")[0]
    return bool(_HUB_NAME.fullmatch(source)) and not source.endswith(".safetensors") and not Path(owner).is_dir()

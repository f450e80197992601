"""An exported ONNX file in use, through onnxruntime."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from supcon.base.errors import RequestError
from supcon.serving.export.export_network import Part, Preprocessing
from supcon.serving.export.onnx_file import require_onnx


class OnnxModel:
    """A file of `supcon export --format onnx`."""

    def __init__(self, session: Any, metadata: Mapping[str, str]) -> None:
        self.session, self.metadata = session, metadata

    @property
    def classes(self) -> list[str]:
        """The class names, in the order of the columns of `probabilities`."""
        return list(json.loads(self.metadata["class_names"]))

    @property
    def part(self) -> Part:
        return cast(Part, self.metadata["part"])

    @property
    def preprocessing(self) -> Preprocessing:
        return cast(Preprocessing, self.metadata["preprocessing"])

    @property
    def weights(self) -> str:
        """A hash of the weights that were exported."""
        return self.metadata["weights"]

    def __call__(self, images: NDArray[np.uint8] | NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        """`representation` and, if the classifier was exported, `probabilities`, one row per image."""
        names = [output.name for output in self.session.get_outputs()]
        return dict(zip(names, self.session.run(names, {"images": images}), strict=True))


def load_onnx(path: str | Path, *, weights: str | None = None) -> OnnxModel:
    """Loads a file of `supcon export`. If `weights` is the `digest` of a model, a file of another one is refused."""
    require_onnx()
    import onnxruntime

    if not Path(path).is_file():
        raise RequestError(f"There is no ONNX file {path}; write one with `supcon export RUN --format onnx`.")
    try:
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has no common base of its exceptions
        reason = " ".join(str(error).split())
        raise RequestError(f"{path} cannot be read as an ONNX file ({reason}); export it again.") from error
    metadata = session.get_modelmeta().custom_metadata_map
    if not {"supcon", "weights", "class_names", "part", "preprocessing"} <= set(metadata):
        raise RequestError(f"{path} was not written by supcon; write one with `supcon export RUN --format onnx`.")
    if weights is not None and metadata["weights"] != weights:
        raise RequestError(
            f"{path} was exported from another run (trained on {metadata['data']} by {metadata['method']}), or before "
            "this one was trained again; export it again from this run."
        )
    return OnnxModel(session, metadata)

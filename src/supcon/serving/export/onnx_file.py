"""Writes a model as an ONNX file, after onnxruntime has given the same numbers for it as PyTorch."""

import json
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from supcon.base.atomic_files import write_file
from supcon.base.errors import RequestError, WorkError
from supcon.base.quiet_logs import quiet_logs
from supcon.data import picture
from supcon.serving.export.export_network import ExportNetwork, Part, Preprocessing, export_network
from supcon.serving.model import Model

if TYPE_CHECKING:
    import onnx

TOLERANCE = 1e-5
"""Largest difference from PyTorch, relative to the largest value where that is above 1."""

_SHAPES = ((1, 1.0, 1.0), (3, 1.7, 1.3), (2, 0.6, 1.1))
"""Of the images that are compared: how many, and height and width relative to the stored size."""


def write_onnx(
    model: Model, path: Path, *, part: Part = "classifier", preprocessing: Preprocessing = "normalize"
) -> float:
    """Writes the ONNX file and returns the largest difference between onnxruntime's outputs and PyTorch's.

    The batch size is dynamic. The metadata has the class names, the preprocessing and a hash of the weights. If the
    difference is above 1e-5, nothing is written.
    """
    require_onnx()
    network = export_network(model, part, preprocessing)
    program = _exported(network, model)
    proto = program.model_proto
    _add_metadata(proto, _metadata(model, part, preprocessing))
    content = proto.SerializeToString()
    difference = largest_difference(content, network, model)
    if not difference <= TOLERANCE:
        raise WorkError(
            f"onnxruntime's outputs differ from PyTorch's by {difference:.2g}, more than {TOLERANCE:g}, so {path} was "
            "not written; export safetensors instead."
        )
    write_file(path, lambda file: file.write(content))
    return difference


def require_onnx() -> None:
    """Raises an error if the packages of the extra are not installed."""
    try:
        import onnxruntime  # noqa: F401
        import onnxscript  # noqa: F401
    except ImportError as error:
        raise RequestError(
            f"ONNX needs packages that are missing ({error.name}); install them with `pip install 'supcon[onnx]'`."
        ) from error


def _exported(network: ExportNetwork, model: Model) -> Any:
    dimension, size = torch.export.Dim, model.card.image_size
    dynamic = {0: dimension("batch")}
    kind, side = torch.uint8, size
    if network.preprocessing == "resize":
        dynamic |= {2: dimension("height"), 3: dimension("width")}
        side = model.card.stored_size + 8  # not the size of the result, which would be taken for a constant
    elif network.preprocessing == "none":
        kind = torch.float32
    example = torch.zeros((2, model.card.channels, side, side), dtype=kind)
    with quiet_logs("torch.onnx", "onnxscript", "onnx_ir"):
        return torch.onnx.export(
            network,
            (example,),
            input_names=["images"],
            output_names=network.output_names,
            dynamic_shapes={"images": dynamic},
            dynamo=True,
            verbose=False,
        )


def _metadata(model: Model, part: Part, preprocessing: Preprocessing) -> dict[str, str]:
    card = model.card
    lists = {"class_names": list(card.class_names), "mean": list(card.mean), "std": list(card.std)}
    return {
        **{name: json.dumps(value, ensure_ascii=False) for name, value in lists.items()},
        **{name: str(getattr(card, name)) for name in ("image_size", "stored_size", "channels", "recipe", "method")},
        "multi_label": json.dumps(card.multi_label),
        "data": card.data,
        "part": part,
        "preprocessing": preprocessing,
        "weights": model.digest,
        "supcon": version("supcon"),
    }


def _add_metadata(proto: "onnx.ModelProto", values: dict[str, str]) -> None:
    from onnx.helper import set_model_props

    proto.producer_name, proto.producer_version = "supcon", values["supcon"]
    set_model_props(proto, {**{entry.key: entry.value for entry in proto.metadata_props}, **values})


def largest_difference(content: bytes, network: ExportNetwork, model: Model) -> float:
    """Between onnxruntime's outputs and PyTorch's, on random images of several batch sizes and, if resized, shapes."""
    import onnxruntime

    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    largest = 0.0
    for number, (count, height, width) in enumerate(_SHAPES):
        given, prepared = _images(model, network.preprocessing, number, count, height, width)
        with torch.inference_mode():
            plain = ExportNetwork(model.encoder, network.classifier, model.card, "normalize")
            expected = [output.numpy() for output in plain(prepared)]
        found = session.run(None, {"images": given.numpy()})
        largest = max(largest, *(_difference(ours, theirs) for ours, theirs in zip(found, expected, strict=True)))
    return largest


def _difference(found: NDArray[np.float32], expected: NDArray[np.float32]) -> float:
    return float(np.abs(found - expected).max() / max(1.0, np.abs(expected).max()))


def _images(
    model: Model, preprocessing: Preprocessing, seed: int, count: int, height: float, width: float
) -> tuple[Tensor, Tensor]:
    """Random images as the exported network takes them, and as the encoder takes them, through Pillow if resized."""
    card, draw = model.card, np.random.default_rng(seed)
    shape = [card.image_size] * 2
    if preprocessing == "resize":
        shape = [max(1, round(card.stored_size * side)) for side in (height, width)]
    pixels = draw.integers(0, 256, (count, card.channels, *shape), dtype=np.uint8)
    given = torch.from_numpy(pixels)
    if preprocessing == "resize":
        return given, model.prepare([picture(image) for image in pixels])
    if preprocessing == "none":
        mean, std = (torch.tensor(values).view(-1, 1, 1) for values in (card.mean, card.std))
        return (given / 255 - mean) / std, given
    return given, given

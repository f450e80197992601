"""`supcon export`: writes the model of a run for other programs."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from supcon.base.checked_arguments import checked_arguments
from supcon.base.errors import RequestError, disk_errors
from supcon.base.progress import bar
from supcon.data import ImageData, ordered_loader
from supcon.evaluation import centre_crop, mean_average_precision
from supcon.jobs.export_options import Format, check_export, check_export_path
from supcon.jobs.run_data import load_run_data
from supcon.runs import open_complete_run
from supcon.serving import (
    Model,
    OnnxModel,
    Part,
    Preprocessing,
    export_network,
    largest_difference,
    load,
    load_onnx,
    quantize,
    write_onnx,
    write_safetensors,
    write_timm,
)

_BATCH = 32


@dataclass(frozen=True, kw_only=True)
class Int8Cost:
    """The accuracy of an ONNX file on the validation images, before and after quantization."""

    path: Path
    float32: float | None
    """Top-1 accuracy, or with several labels an image the mean average precision; None if it was not measured."""
    int8: float | None
    images: int
    reason: str = ""
    """Why it was not measured."""


@dataclass(frozen=True, kw_only=True)
class Exported:
    """What was written."""

    path: Path
    difference: float | None
    """The largest difference from the run's outputs; None if the file has the weights themselves."""
    int8: Int8Cost | None = None


@checked_arguments
def export(
    run: str | Path,
    *,
    format: Format = "onnx",  # noqa: A002, the name of the option
    part: Part = "classifier",
    preprocessing: Preprocessing = "normalize",
    int8: bool = False,
    out: str | Path | None = None,
) -> Exported:
    """Writes the model of a finished run as ONNX, safetensors or a folder for timm, like the command.

    `out` is the file, or for timm the folder; by default in the run's folder, under `export/`.
    """
    opened = open_complete_run(Path(run))
    check_export(format, preprocessing, int8=int8, out=out)
    path = Path(out) if out is not None else opened.path / "export" / _file_name(format, part)
    check_export_path(path, format)
    model = load(opened.path)
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    if format == "safetensors":
        write_safetensors(model, path, part)
        return Exported(path=path, difference=None)
    if format == "timm":
        return Exported(path=path, difference=write_timm(model, path, part))
    difference = write_onnx(model, path, part=part, preprocessing=preprocessing)
    return Exported(path=path, difference=difference, int8=_quantized(opened.path, model, path) if int8 else None)


def check_onnx(run: str | Path, path: str | Path) -> float:
    """The largest difference between an ONNX file that was exported from this run and PyTorch.

    A file of another run is refused.
    """
    model = load(open_complete_run(Path(run)).path)
    exported = load_onnx(path, weights=model.digest)
    network = export_network(model, exported.part, exported.preprocessing)
    return largest_difference(Path(path).read_bytes(), network, model)


def _file_name(format: Format, part: Part) -> str:  # noqa: A002
    name = "encoder" if part == "encoder" else "model"
    return f"timm-{name}" if format == "timm" else f"{name}.{format}"


def _quantized(run: Path, model: Model, path: Path) -> Int8Cost:
    small = path.with_suffix(".int8.onnx")
    quantize(path, small)
    try:
        data = load_run_data(open_complete_run(run), bar)
        if not len(data.validation):
            raise RequestError(f"{data.name} has no validation images")
    except RequestError as error:
        return Int8Cost(path=small, float32=None, int8=None, images=0, reason=str(error))
    before, after = (_validation_accuracy(load_onnx(file), model, data) for file in (path, small))
    return Int8Cost(path=small, float32=before, int8=after, images=len(data.validation))


@torch.inference_mode()
def _validation_accuracy(onnx: OnnxModel, model: Model, data: ImageData) -> float:
    scores = []
    with bar("validation", len(data.validation), "images") as advance:
        for images, _ in ordered_loader(data.validation, _BATCH):
            found = onnx(_inputs(images, onnx, model).numpy())
            rows = torch.from_numpy(found["representation"])
            given = found.get("probabilities")
            scores.append(model.classifier(rows) if given is None else torch.from_numpy(given))
            advance(steps=len(images))
    labels = data.validation.labels
    if data.multi_label:
        return float(mean_average_precision(torch.cat(scores), labels))
    return float(np.mean(torch.cat(scores).argmax(1).numpy() == labels.numpy()))


def _inputs(images: Tensor, onnx: OnnxModel, model: Model) -> Tensor:
    """Stored images as the file takes them."""
    if onnx.preprocessing == "resize":
        return images
    cropped = centre_crop(images, model.card.image_size)
    if onnx.preprocessing == "normalize":
        return cropped
    mean, std = (torch.tensor(values).view(-1, 1, 1) for values in (model.card.mean, model.card.std))
    return (cropped / 255 - mean) / std

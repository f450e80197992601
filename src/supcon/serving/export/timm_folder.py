"""Writes a model as a folder that `timm.create_model("local-dir:FOLDER", pretrained=True)` loads."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import timm
import torch
from safetensors.torch import load_file, save
from torch import Tensor, nn

from supcon.base.atomic_files import replacing, write_file, write_json
from supcon.base.errors import RequestError, WorkError
from supcon.encoder import to_torchvision_names
from supcon.serving.export.export_network import Part
from supcon.serving.model import Model
from supcon.serving.model_card import ModelCard

_TIMM = "timm:"
_TOLERANCE = 1e-5


def write_timm(model: Model, folder: Path, part: Part = "classifier") -> float:
    """Writes `config.json` and `model.safetensors`, and returns the largest difference of timm's outputs from ours.

    timm's model takes normalized images, and its outputs are representations that are not normalized to unit length,
    or with the classifier its scores before the softmax.
    """
    architecture, options = _architecture(model)
    classes = len(model.card.class_names) if part == "classifier" else 0
    weights = _weights(model, part, architecture, options)
    config = _config(model.card, architecture, options, classes)
    with replacing(folder) as temporary:
        temporary.mkdir()
        write_json(temporary / "config.json", config)
        write_file(temporary / "model.safetensors", lambda file: file.write(save(weights, metadata={"format": "pt"})))
        difference = _difference(model, _built(architecture, options, classes, temporary), part)
        if not difference <= _TOLERANCE:
            raise WorkError(
                f"timm's {architecture} gives outputs that differ by {difference:.2g}, more than {_TOLERANCE:g}, so "
                f"{folder} was not written; export onnx or safetensors instead."
            )
    return difference


def _architecture(model: Model) -> tuple[str, dict[str, Any]]:
    """timm's name of the network, and the arguments with which it is built."""
    card, network = model.card, model.encoder.network
    name = str(card.encoder["name"]).removeprefix(_TIMM)
    small_stem = isinstance(getattr(network, "maxpool", None), nn.Identity)
    if not timm.is_model(name.split(".")[0]) or small_stem or card.encoder.get("width_multiplier", 1) != 1:
        what = f"{name} with the stem for small images" if small_stem else name
        what = what if card.encoder.get("width_multiplier", 1) == 1 else f"{name} of another width"
        raise RequestError(f"timm has no network like the encoder of this run ({what}); export onnx or safetensors.")
    if isinstance(model.encoder.centre, nn.BatchNorm1d):
        raise RequestError(
            "The representations of this run are centred, which timm's models cannot do; export onnx or safetensors."
        )
    options: dict[str, Any] = {"in_chans": card.channels}
    if card.encoder.get("norm", "batch") == "group":
        options["norm_layer"] = "groupnorm"
    published = timm.get_pretrained_cfg(name)
    if published is not None and published.fixed_input_size:
        options["img_size"] = card.image_size
    return name, options


def _weights(model: Model, part: Part, architecture: str, options: dict[str, Any]) -> dict[str, Tensor]:
    if part == "encoder":
        return to_torchvision_names(model.encoder)
    weights = to_torchvision_names(model.encoder, model.classifier)
    network: Any = timm.create_model(architecture, num_classes=1, **options)
    head = str(network.default_cfg["classifier"])
    return {
        name.replace("fc.", f"{head}.") if name.startswith("fc.") else name: value for name, value in weights.items()
    }


def _config(card: ModelCard, architecture: str, options: dict[str, Any], classes: int) -> dict[str, Any]:
    size = (card.channels, card.image_size, card.image_size)
    config = {
        "architecture": architecture,
        "num_classes": classes,
        "model_args": options,
        "pretrained_cfg": {
            "num_classes": classes,
            "input_size": size,
            "interpolation": "bilinear",
            "crop_pct": card.image_size / card.stored_size,
            "crop_mode": "center",
            "mean": list(card.mean),
            "std": list(card.std),
            "custom_load": False,
        },
    }
    return config | ({"label_names": list(card.class_names)} if classes else {})


def _built(architecture: str, options: dict[str, Any], classes: int, folder: Path) -> nn.Module:
    """timm's model with the weights that were written."""
    network: nn.Module = timm.create_model(architecture, num_classes=classes, **options)
    network.load_state_dict(load_file(folder / "model.safetensors"))
    return network.eval()


@torch.inference_mode()
def _difference(model: Model, theirs: nn.Module, part: Part) -> float:
    """On random images, relative to the largest value where that is above 1."""
    card, encoder = model.card, deepcopy(model.encoder).cpu()
    encoder.normalize_representation = False
    shape = (2, card.channels, card.image_size, card.image_size)
    images = torch.randint(0, 256, shape, generator=torch.Generator().manual_seed(0), dtype=torch.uint8)
    expected = encoder(images)
    if part == "classifier":
        expected = deepcopy(model.classifier).cpu()(expected)
    mean, std = (torch.tensor(values).view(-1, 1, 1) for values in (card.mean, card.std))
    found = theirs((images / 255 - mean) / std)
    return float((found - expected).abs().max() / expected.abs().max().clamp_min(1))

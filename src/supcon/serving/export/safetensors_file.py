"""Writes a model as one .safetensors file that describes itself in its metadata."""

from dataclasses import asdict
from json import dumps
from pathlib import Path

from safetensors.torch import save
from torch import nn

from supcon.base.atomic_files import write_file
from supcon.serving.export.export_network import Part
from supcon.serving.model import Model


def write_safetensors(model: Model, path: Path, part: Part = "classifier") -> None:
    """Writes the weights with the names they have in a run; the metadata has the content of `model.json`."""
    parts: dict[str, nn.Module] = {"encoder": model.encoder}
    if part == "classifier":
        parts["classifier"] = model.classifier
    tensors = {name: value.detach().cpu().contiguous() for name, value in nn.ModuleDict(parts).state_dict().items()}
    metadata = {"format": "pt", "supcon": dumps(asdict(model.card), ensure_ascii=False)}
    write_file(path, lambda file: file.write(save(tensors, metadata=metadata)))

"""Writes a model as one .safetensors file that describes itself in its metadata, for `supcon.load` and for others."""

from pathlib import Path

from supcon.base.atomic_files import write_file
from supcon.serving.export.export_network import Part
from supcon.serving.model import Model
from supcon.serving.saved_model import model_bytes


def write_safetensors(model: Model, path: Path, part: Part = "classifier") -> None:
    """Writes the weights with the names they have in a run; the metadata has the content of `model.json`."""
    content = model_bytes(model, classifier=part == "classifier")
    write_file(path, lambda file: file.write(content))

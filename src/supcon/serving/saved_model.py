"""A trained model on disk: weights in `model.safetensors`, architecture, classes and preprocessing in `model.json`.

The metadata of `model.safetensors` has the content of `model.json` too, so that the file can be used alone.
"""

import hashlib
import json
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn

from supcon.base.atomic_files import write_file, write_json
from supcon.base.checked_arguments import checked_arguments
from supcon.base.errors import RequestError
from supcon.encoder import tensors_from_bytes, weights_bytes, weights_content
from supcon.runs import Run, model_path
from supcon.serving.choose_device import checked_device
from supcon.serving.model import Model
from supcon.serving.model_card import ModelCard, card_from_values

_METADATA = "supcon"
"""Key of the card in the metadata of a .safetensors file."""


def save_model(run: Run, model: Model) -> None:
    """Writes `model.safetensors` and `model.json`."""
    content = model_bytes(model)
    write_file(run.model_file, lambda file: file.write(content))
    write_json(run.model_card_file, asdict(replace(model.card, weights_digest=content_digest(content))))


def model_bytes(model: Model, classifier: bool = True) -> bytes:
    """The content of `model.safetensors`: all weights, or those of the encoder alone, and the card in the metadata."""
    parts = {"encoder": model.encoder, **({"classifier": model.classifier} if classifier else {})}
    weights = nn.ModuleDict(parts).state_dict()
    return weights_bytes(weights, {_METADATA: replace(model.card, weights_digest=None).to_json()})


def model_from_bytes(content: bytes, device: str = "cpu") -> Model:
    """The model whose `model_bytes` these are."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.safetensors"
        file.write_bytes(content)
        return _from_file(file, device)


@checked_arguments
def load(source: str | Path, device: str | torch.device = "cpu") -> Model:
    """Loads the model of a finished run, of a folder or file that was exported, or of the Hugging Face hub.

    `source` is a folder with `model.safetensors` and `model.json`, a .safetensors file, or `OWNER/NAME` on the hub,
    which is downloaded. `device` is auto, cpu, gpu or a name of torch. Nothing that is loaded can run code.
    `encoder` of the result is the torch module.
    """
    device = checked_device(str(device))
    path = model_path(source)
    if path is None:
        return _from_hub(str(source), device)
    if path.is_file():
        return _from_file(path, device)
    run = Run(path)
    return _build(run.model_file, run.read_json(run.model_card_file), str(run.model_card_file), device)


def _from_file(path: Path, device: str) -> Model:
    try:
        with safe_open(path, framework="pt") as file:
            written = (file.metadata() or {}).get(_METADATA)
        values = json.loads(written) if written else None
    except (SafetensorError, OSError, ValueError) as error:
        raise RequestError(_unreadable(path, error)) from error
    if isinstance(values, dict):
        return _build(path, values, f"The metadata of {path}", device)
    beside = Run(path.parent)
    if not beside.model_card_file.exists():
        raise RequestError(
            f"{path} does not say what model its weights are of; put its model.json next to it, or give a run's folder."
        )
    return _build(path, beside.read_json(beside.model_card_file), str(beside.model_card_file), device)


def _from_hub(name: str, device: str) -> Model:
    from supcon.serving.hub_model import load_from_hub

    return load_from_hub(name, device)


def _build(file: Path, values: Mapping[str, Any], where: str, device: str) -> Model:
    card, encoder = card_from_values(values, where)
    classifier = nn.Linear(encoder.width, len(card.class_names))
    load_into(nn.ModuleDict({"encoder": encoder, "classifier": classifier}), file, card)
    return Model(encoder.to(device), classifier.to(device), card)


def load_into(parts: nn.Module, file: Path, card: ModelCard) -> None:
    """Loads a file of weights into a module with the parts `encoder` and `classifier`, if it is what the card says."""
    weights = _read_weights(file, card)
    if not any(name.startswith("classifier.") for name in weights):
        raise RequestError(
            f"{file.parent} has an encoder but no classifier; train its stage 2, or use a run that has one."
        )
    try:
        parts.load_state_dict(weights)
    except RuntimeError as error:
        raise RequestError(_unreadable(file, error)) from error


def _read_weights(file: Path, card: ModelCard) -> dict[str, Tensor]:
    try:
        content = weights_content(file)
        weights = tensors_from_bytes(content)
    except (ValueError, OSError) as error:
        raise RequestError(_unreadable(file, error)) from error
    if card.weights_digest is not None and card.weights_digest != content_digest(content):
        raise RequestError(f"{file} has changed since model.json was written, or is of another run; {_advice(file)}.")
    return weights


def content_digest(content: bytes) -> str:
    """The hash that `model.json` has of the file of weights."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _unreadable(file: Path, error: Exception) -> str:
    reason = " ".join(str(error).split())
    return f"{file} does not have the weights that model.json describes ({reason}); {_advice(file)}."


def _advice(file: Path) -> str:
    run = Run(file.parent)
    if not run.recipe_file.exists():
        return "restore it, or train the run again"
    return f"`supcon train --resume --out {run.path}` writes it again from the run's checkpoints"

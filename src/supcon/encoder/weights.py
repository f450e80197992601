"""Loads the weights of an encoder from files, also of other programs."""

import argparse
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from supcon.base.bounded_reading import open_regular
from supcon.base.errors import RequestError, system_reason
from supcon.encoder.weights_file import read_safetensors

Weights = dict[str, Tensor]

_WRAPPINGS = ("state_dict", "model", "model_state_dict")
"""Keys under which training scripts save the weights in a checkpoint; the authors use `model`."""

_HEADS = {"fc", "head", "heads", "classifier", "projection"}


def load_weights(network: nn.Module, path: Path) -> None:
    """Loads the weights in `path` into `network`, without running any code that the file may contain.

    Names may have any prefix: none (torchvision, timm), `module.encoder.` or `encoder.module.` (the authors'
    PyTorch code, on one or several GPUs), `encoder.network.` (a run's model.safetensors, a checkpoint of ours).
    Classifiers and projection heads are ignored. Everything else must match.
    """
    wanted = network.state_dict()
    given = _authors_names_to_timms(read_weights(path), wanted)
    prefix = _prefix(given, wanted)
    own = {name.removeprefix(prefix): value for name, value in given.items() if name.startswith(prefix)}
    # Counters that old files do not have, and that are not used.
    own |= {name: value for name, value in wanted.items() if name.endswith("num_batches_tracked") and name not in own}
    _refuse_unfit(path, own, wanted)
    network.load_state_dict({name: own[name] for name in wanted})


def read_weights(path: Path) -> Weights:
    """All tensors of a file of weights, or of a run's folder, by their names."""
    path = path / "model.safetensors" if path.is_dir() else path
    if not path.exists():
        raise RequestError(f"There is no file of weights {path}; give a .safetensors or .pth file, or a run's folder.")
    try:
        values: Any = read_safetensors(path) if path.suffix == ".safetensors" else _read_pickle(path)
    except Exception as error:  # files of other kinds make torch and pickle raise many exception types
        raise RequestError(
            f"{path} cannot be read as weights{_reason(error)}; it must be a .safetensors file, or a .pth file with "
            "only tensors and plain values, since others could run code."
        ) from error
    for name in _WRAPPINGS:
        if isinstance(values, Mapping) and isinstance(values.get(name), Mapping):
            values = values[name]
    named = values.items() if isinstance(values, Mapping) else ()
    weights = {str(name): value for name, value in named if isinstance(value, Tensor)}
    if not weights:
        raise RequestError(f"{path} holds no weights by name; give a file that a model's state_dict was saved to.")
    return weights


def _reason(error: Exception) -> str:
    """Why, where that is more than `it is another kind of file`."""
    if isinstance(error, OSError):
        return f" ({system_reason(error)})"
    return f" ({error})" if "checksum" in str(error) else ""


def _read_pickle(path: Path) -> Any:
    # The authors' files also contain the arguments of their script, as a Namespace, which is safe to load.
    allowed = torch.serialization.safe_globals([argparse.Namespace])
    with allowed, warnings.catch_warnings(action="ignore"), open_regular(path) as file:
        return torch.load(file, map_location="cpu", weights_only=True)


def _authors_names_to_timms(given: Weights, wanted: Mapping[str, Tensor]) -> Weights:
    """Renames `shortcut`, as in the authors' resnets, to `downsample`, as in torchvision and timm."""
    if any(".shortcut." in name for name in wanted):
        return given
    return {name.replace(".shortcut.", ".downsample."): value for name, value in given.items()}


def _prefix(given: Weights, wanted: Mapping[str, Tensor]) -> str:
    """The prefix of the network's names in the file: the one with which most of them are found."""
    first = next(iter(wanted))
    prefixes = {name.removesuffix(first) for name in given if name == first or name.endswith(f".{first}")}
    return max(prefixes, key=lambda prefix: (sum(prefix + name in given for name in wanted), -len(prefix)), default="")


def _refuse_unfit(path: Path, given: Weights, wanted: Mapping[str, Tensor]) -> None:
    missing = [name for name in wanted if name not in given]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise RequestError(f"{path} has no {missing[0]}{more}, which the encoder needs; choose the encoder it is from.")
    for name, value in wanted.items():
        if given[name].shape != value.shape:
            hint = " --encoder.stem selects the stem." if name == "conv1.weight" else ""
            raise RequestError(
                f"{path} has {name} of shape {list(given[name].shape)}, the encoder needs {list(value.shape)}; choose "
                f"the encoder it is from.{hint}"
            )
    # A deeper network has all weights of a shallower one and more, so unknown weights are errors too.
    parts = {name.split(".")[0] for name in wanted}
    for name in given:
        if name not in wanted and name.split(".")[0] in parts and not _HEADS & set(name.split(".")):
            raise RequestError(f"{path} has {name}, which the encoder does not have; choose the encoder it is from.")

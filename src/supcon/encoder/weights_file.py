"""`.safetensors` files with a checksum of every name, type, shape and value in their metadata.

The format itself has none: one changed byte would be another weight. Files without a checksum, such as those of other
programs, are read as they are.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, deserialize
from safetensors.torch import load, save
from torch import Tensor

from supcon.base.bounded_reading import read_bytes

_CHECKSUM = "supcon_blake2b"
_LARGEST = 64 << 30
"""Bytes; a file of weights is read into memory."""


def weights_bytes(tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None) -> bytes:
    """The content of a file with these tensors and their checksum; equal tensors and metadata give equal bytes."""
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    return _with_sorted_metadata(save(plain, {**(metadata or {}), _CHECKSUM: _checksum(save(plain))}))


def read_safetensors(path: Path) -> dict[str, Tensor]:
    """The tensors of a file; ValueError if they are not those that were written, OSError if it is no regular file."""
    return tensors_from_bytes(weights_content(path))


def weights_content(path: Path) -> bytes:
    """The bytes of a file of weights; OSError if it is no regular file."""
    return read_bytes(path, _LARGEST)


def tensors_from_bytes(content: bytes) -> dict[str, Tensor]:
    """The tensors of a file's content; ValueError if they are not those that were written."""
    try:
        expected = _metadata(content).get(_CHECKSUM)
        if expected is not None and expected != _checksum(content):
            raise ValueError("its checksum does not match, so a part of it has changed")
        return load(content)
    except (SafetensorError, KeyError, OverflowError, AttributeError, TypeError) as error:
        raise ValueError(f"it is not a safetensors file: {error}") from error


def _checksum(content: bytes) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for name, item in sorted(deserialize(content), key=lambda pair: pair[0]):  # type: ignore[no-untyped-call]
        digest.update(repr((name, item["dtype"], item["shape"])).encode())
        digest.update(item["data"])
    return digest.hexdigest()


def _with_sorted_metadata(content: bytes) -> bytes:
    """The safetensors package writes the texts of the metadata in an order that differs from process to process."""
    header, start = _header(content)
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)  # the format aligns the values to eight bytes
    return len(text).to_bytes(8, "little") + text + content[start:]


def _metadata(content: bytes) -> Mapping[str, str]:
    found = _header(content)[0].get("__metadata__") or {}
    return found if isinstance(found, dict) else {}


def _header(content: bytes) -> tuple[dict[str, Any], int]:
    """The header, whose length is in the first eight bytes, and the place where the values of the tensors begin."""
    length = int.from_bytes(content[:8], "little")
    if length > len(content) - 8:
        raise ValueError("it is cut off")
    return json.loads(content[8 : 8 + length]), 8 + length

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from supcon.encoder.weights_file import read_safetensors, weights_bytes

TENSORS = {"encoder.weight": torch.arange(12.0).view(3, 4), "count": torch.tensor(7), "half": torch.ones(2).half()}


def test_weights_come_back_and_other_programs_read_them(tmp_path: Path) -> None:
    (tmp_path / "a.safetensors").write_bytes(weights_bytes(TENSORS, {"of": "a test"}))
    for found in (read_safetensors(tmp_path / "a.safetensors"), load_file(tmp_path / "a.safetensors")):
        assert {name: value.dtype for name, value in found.items()} == {n: v.dtype for n, v in TENSORS.items()}
        assert all(torch.equal(found[name], TENSORS[name]) for name in TENSORS)


def test_equal_weights_give_equal_bytes() -> None:
    metadata = {name: name for name in "abcdefgh"}
    assert len({weights_bytes(TENSORS, metadata) for _ in range(20)}) == 1
    assert weights_bytes(TENSORS, dict(reversed(metadata.items()))) == weights_bytes(TENSORS, metadata)


def test_files_of_other_programs_have_no_checksum_and_are_read(tmp_path: Path) -> None:
    save_file(TENSORS, tmp_path / "a.safetensors")
    assert set(read_safetensors(tmp_path / "a.safetensors")) == set(TENSORS)


def test_no_changed_byte_reaches_the_weights(tmp_path: Path) -> None:
    """Every byte of the file in turn."""
    path = tmp_path / "a.safetensors"
    path.write_bytes(weights_bytes(TENSORS))
    content, noticed = path.read_bytes(), 0
    for place in range(len(content)):
        for change in (0x01, 0x20):
            path.write_bytes(content[:place] + bytes([content[place] ^ change]) + content[place + 1 :])
            try:
                found = read_safetensors(path)
            except ValueError:
                noticed += 1
                continue
            assert all(torch.equal(found[name], TENSORS[name]) for name in TENSORS), place
    assert noticed > len(content)


@pytest.mark.parametrize("content", [b"", b"12345678", b"\xff" * 100, b"\x02\0\0\0\0\0\0\0[]", b"\x02\0\0\0\0\0\0\0{}"])
def test_what_is_no_file_of_weights(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.safetensors").write_bytes(content)
    if content.endswith(b"{}"):
        assert read_safetensors(tmp_path / "a.safetensors") == {}
        return
    with pytest.raises(ValueError, match=r"."):
        read_safetensors(tmp_path / "a.safetensors")

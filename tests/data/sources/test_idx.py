import gzip
from pathlib import Path

import numpy as np
import pytest

from supcon.base.errors import RequestError
from supcon.data.sources.idx import read_idx


def idx(path: Path, values: np.ndarray) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    header = b"\0\0\x08" + bytes([values.ndim]) + np.array(values.shape, dtype=">u4").tobytes()
    content = header + values.tobytes()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


@pytest.mark.parametrize(
    ("content", "reason"), [(b"", "idx"), (b"\0\0\x08\x01\0\0\0\x09abc", "idx"), (b"\0\0\x0d\x01\0\0\0\0", "not uint8")]
)
def test_idx_files_that_are_not_whole(tmp_path: Path, content: bytes, reason: str) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(RequestError, match=rf"/x is not a complete idx file .*{reason if reason != 'idx' else ''}"):
        read_idx(tmp_path / "x")
    (tmp_path / "x.gz").write_bytes(gzip.compress(content)[:-2])
    with pytest.raises(RequestError, match=r"/x\.gz is not a complete idx file"):
        read_idx(tmp_path / "x.gz")

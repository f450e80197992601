from pathlib import Path

import numpy as np

from supcon.data.storage.mapped import MappedImages


def test_a_mapped_file_gives_pages_back(tmp_path: Path) -> None:
    rows, shape = 16_000, (1, 64, 64)
    pixels = np.random.default_rng(0).integers(0, 256, (rows, *shape), dtype=np.uint8)
    (tmp_path / "pixels").write_bytes(pixels.tobytes())
    order = np.random.default_rng(1).permutation(rows)
    mapped = MappedImages(tmp_path / "pixels", rows, shape, limit=16_000_000)
    before = _file_pages()
    most = 0
    for part in np.array_split(order, 40):
        np.testing.assert_array_equal(mapped.read(part), pixels[part])
        most = max(most, _file_pages() - before)
    assert most < 16_000_000, "65 MB were read"


def _file_pages() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssFile"))

import io
import json
import tarfile
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from supcon.base.errors import RequestError
from supcon.data.config import DataConfig
from supcon.data.load import load_data
from supcon.data.sources.shards import expand, shards


def png(value: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), (value, value, value)).save(buffer, "PNG")
    return buffer.getvalue()


def write_tar(path: Path, files: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


def write_shards(root: Path, count: int = 2, images: int = 10) -> str:
    for shard in range(count):
        files: dict[str, bytes] = {}
        for number in range(images):
            value = shard * images + number
            files[f"{value:04}.png"], files[f"{value:04}.cls"] = png(value), str(value % 2).encode()
        write_tar(root / f"set-{shard:03}.tar", files)
    return f"webdataset:{root}/set-{{000..{count - 1:03}}}.tar"


def test_shards_load_with_their_labels(tmp_path: Path) -> None:
    data = load_data(DataConfig(spec=write_shards(tmp_path)))
    assert (data.name, data.class_names, sum(data.counts.values())) == ("set", ("0", "1"), 20)
    values = torch.cat([split.images[:][:, 0, 0, 0].long() for split in (data.train, data.validation, data.test)])
    labels = torch.cat([split.labels for split in (data.train, data.validation, data.test)])
    assert sorted(values.tolist()) == list(range(20))
    assert torch.equal(values % 2, labels)


def test_the_three_ways_to_write_a_label(tmp_path: Path) -> None:
    files = {
        "a.png": png(1),
        "a.cls": b"dog\n",
        "b.json": json.dumps({"label": "cat"}).encode(),
        "b.png": png(2),
        "sub/c.txt": b"dog",
        "sub/c.png": png(3),
        "d.png": png(4),
        "notes.md": b"no image",
    }
    found = shards(str(write_tar(tmp_path / "x.tar", files)))
    assert [found.image_name(row) for row in range(4)] == ["x.tar/a", "x.tar/b", "x.tar/sub/c", "x.tar/d"]
    assert found.class_names == ("cat", "dog")
    assert found.labels.tolist() == [1, 0, 1, -1]


def test_what_webdataset_itself_writes_is_read(tmp_path: Path) -> None:
    webdataset = pytest.importorskip("webdataset", reason="webdataset is not installed")
    pixels = np.full((8, 8, 3), 77, dtype=np.uint8)
    with webdataset.TarWriter(str(tmp_path / "w.tar")) as writer:
        for number in range(6):
            writer.write({"__key__": f"{number:03}", "png": pixels, "cls": number % 2})
    data = load_data(DataConfig(spec=f"webdataset:{tmp_path}/w.tar"))
    assert sum(data.counts.values()) == 6
    assert (data.train.images[:] == 77).all()


def test_names_say_splits(tmp_path: Path) -> None:
    for split in ("train", "val", "test"):
        files = {
            f"{i}.{kind}": png(i) if kind == "png" else str(i % 2).encode() for i in range(4) for kind in ("png", "cls")
        }
        write_tar(tmp_path / f"x-{split}-000.tar", files)
    found = shards(f"{tmp_path}/x-{{train,val,test}}-*.tar")
    assert {name: len(rows) for name, rows in found.given.items()} == {"train": 4, "validation": 4, "test": 4}
    assert {found.image_name(int(row)).split("/")[0] for row in found.given["test"]} == {"x-test-000.tar"}


def test_patterns(tmp_path: Path) -> None:
    for name in ("a-1.tar", "a-2.tar", "b-1.tar"):
        (tmp_path / name).touch()

    def names(pattern: str) -> list[str]:
        return [path.name for path in expand(f"{tmp_path}/{pattern}")]

    assert names("a-{1..2}.tar") == names("a-*.tar") == ["a-1.tar", "a-2.tar"]
    assert names("{b,a}-1.tar") == ["b-1.tar", "a-1.tar"]
    for pattern in ("c-*.tar", "a-{1..3}.tar"):
        with pytest.raises(RequestError, match=r"matches .*; give existing tar files"):
            expand(f"{tmp_path}/{pattern}")


def test_what_is_no_shard(tmp_path: Path) -> None:
    (tmp_path / "x.tar").write_text("no tar file at all, just words" * 50)
    with pytest.raises(RequestError, match=r"x\.tar cannot be read as a shard"):
        shards(str(tmp_path / "x.tar"))
    write_tar(tmp_path / "y.tar", {"a.cls": b"1"})
    with pytest.raises(RequestError, match=r"y\.tar has no images; each sample needs an image such as key\.jpg"):
        shards(str(tmp_path / "y.tar"))

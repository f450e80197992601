"""Files from strangers: nothing that is loaded runs code, and nothing reads or writes outside of its folder."""

import io
import json
import os
import pickle
import tarfile
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from references.tiny_run import TINIEST, tiny_images
from supcon.cli.main import main


class Malicious:
    """An object that makes a folder when it is unpickled: what an attacker would run."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.mark),)


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    return tmp_path / "code ran"


def refused(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main([str(word) for word in words]) in (1, 2)
    return capsys.readouterr().err


def png() -> bytes:
    content = io.BytesIO()
    Image.new("L", (8, 8), 99).save(content, "PNG")
    return content.getvalue()


@pytest.mark.parametrize("kind", ["torch", "raw", "zip"])
def test_pickles_as_weights(tmp_path: Path, mark: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    path = tmp_path / "weights.pth"
    if kind == "torch":
        torch.save({"weight": Malicious(mark)}, path)
    elif kind == "raw":
        path.write_bytes(pickle.dumps(Malicious(mark), protocol=2))
    else:
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("archive/data.pkl", pickle.dumps(Malicious(mark), protocol=2))
            file.writestr("archive/version", "3\n")
    said = refused(capsys, "train", "digits", *TINIEST, "--encoder.pretrained", path, "--out", tmp_path / "run")
    assert "could run code" in said
    assert not mark.exists()


def test_pickles_in_arrays(tmp_path: Path, mark: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    assert main(["train", str(tiny_images(tmp_path / "images")), *TINIEST, "--out", str(run)]) == 0
    outputs = dict(np.load(run / "test_outputs.npz"))
    np.savez(run / "test_outputs.npz", **{**outputs, "labels": np.array([Malicious(mark)], dtype=object)})
    assert "test_outputs.npz is damaged" in refused(capsys, "report", run)
    recipe = (run / "recipe.yaml").read_text()
    code = f"\nseed: !!python/object/apply:os.mkdir ['{mark}']\n..."
    (run / "recipe.yaml").write_text(recipe.replace("\n...", code))
    assert "recipe.yaml is damaged" in refused(capsys, "report", run)
    assert not mark.exists()


@pytest.mark.parametrize("name", ["../../escaped", "/tmp/supcon-escaped", "a/../../../escaped"])
def test_a_shard_is_never_unpacked(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    """Members with any name, and links to other files, are read by their place in the shard or not at all."""
    path = tmp_path / "deep" / "shard-000.tar"
    path.parent.mkdir()
    with tarfile.open(path, "w") as tar:
        for number in range(12):
            for suffix, content in (("png", png()), ("cls", str(number % 2).encode())):
                member = tarfile.TarInfo(f"{name}{number}.{suffix}")
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo("secret.png")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    before = {str(file) for file in tmp_path.rglob("*")}
    assert main(["views", f"webdataset:{path}", "--out", str(tmp_path / "views.png"), "--images", "2"]) == 0
    assert {str(file) for file in tmp_path.rglob("*")} - before == {str(tmp_path / "views.png")}
    assert not Path("/tmp/supcon-escaped0.png").exists()


def test_a_compressed_shard_is_refused_and_not_unpacked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with tarfile.open(tmp_path / "bomb.tar", "w:gz") as tar:
        member = tarfile.TarInfo("0.cls")
        member.size = 50_000_000
        tar.addfile(member, io.BytesIO(bytes(member.size)))
    assert "cannot be read as a shard" in refused(capsys, "train", f"webdataset:{tmp_path / 'bomb.tar'}", *TINIEST)


def test_an_image_that_is_a_bomb(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A PNG of a few bytes that says it has 60,000 x 60,000 pixels."""
    data = tiny_images(tmp_path / "images")
    content = bytearray(png())
    content[16:24] = (60_000).to_bytes(4, "big") * 2
    content[29:33] = zlib.crc32(bytes(content[12:29])).to_bytes(4, "big")
    (data / "dark" / "bomb.png").write_bytes(bytes(content))
    said = refused(capsys, "train", data, *TINIEST, "--out", tmp_path / "run")
    assert "bomb.png (" in said


@pytest.mark.parametrize("path", ["../outside.png", "/etc/passwd", "images/../../outside.png", "~/outside.png"])
def test_a_manifest_does_not_leave_its_folder_unless_that_is_allowed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    (tmp_path / "data").mkdir()
    tiny_images(tmp_path / "data" / "images")
    (tmp_path / "outside.png").write_bytes(png())
    rows = [f"images/{name}/{number}.png,{name}" for name in ("dark", "light") for number in range(8)]
    table = tmp_path / "data" / "table.csv"
    table.write_text("\n".join(["path,label", *rows, f"{path},dark"]))
    said = refused(capsys, "train", table, *TINIEST, "--out", tmp_path / "run")
    assert "outside of its folder" in said
    assert "--data.outside true" in said
    if path == "../outside.png":
        assert main(["train", str(table), *TINIEST, "--data.outside", "true", "--out", str(tmp_path / "run")]) == 0


def test_names_in_a_run_do_not_become_html(tmp_path: Path) -> None:
    images = tiny_images(tmp_path / "images")
    evil = "<img src=x onerror=document.title='owned'>"
    (images / "dark").rename(images / evil.replace("/", "_"))
    run = tmp_path / "<script>alert(1)<"
    assert main(["train", str(images), *TINIEST, "--out", str(run)]) == 0
    page = (run / "report.html").read_text(encoding="utf-8")
    assert evil not in page
    assert "<script>alert(1)" not in page
    card = json.loads((run / "model.json").read_text())
    assert evil in card["class_names"]

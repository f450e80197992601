"""Bad files and situations, each ended with one readable sentence, none with a hang or a traceback."""

import json
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from references.tiny_run import TINIEST, tiny_images, train_words
from supcon.cli.main import main


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_images(tmp_path_factory.mktemp("bad input") / "images")


@pytest.fixture(scope="module")
def finished(images: Path) -> Path:
    assert main(train_words(images, images.parent / "finished")) == 0
    return images.parent / "finished"


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    """A finished run to damage."""
    shutil.copytree(finished, tmp_path / "run")
    return tmp_path / "run"


def sentence(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one sentence with which a command ends that cannot do its work."""
    capsys.readouterr()
    assert main([str(argument) for argument in arguments]) in (1, 2)
    said = capsys.readouterr().err.strip().splitlines()[-1]
    assert said.startswith("supcon: ")
    assert len(said) < 620
    assert "--debug" not in said, said
    assert "Traceback" not in said
    return said


# Hangs


@pytest.mark.parametrize("kind", ["fifo", "device", "loop"])
@pytest.mark.parametrize("place", ["dark/odd.png", "dark/odd", "dark/deeper/odd.jpg"])
def test_what_is_no_file_among_the_images(
    images: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, place: str
) -> None:
    data = tmp_path / "data"
    shutil.copytree(images, data)
    path = data / place
    path.parent.mkdir(exist_ok=True)
    if kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero" if kind == "device" else path)
    said = sentence(capsys, *train_words(data, tmp_path / "run"))
    assert str(path) in said
    assert "not a regular file" in said or "symbolic links" in said
    assert "--skip-bad-images" in said


@pytest.mark.parametrize("pattern", ["{0..9}" * 12, "a-{0..99999999999}.tar", "{" + ",".join("ab" * 400) + "}" * 1])
def test_braces_that_stand_for_too_many_shards(capsys: pytest.CaptureFixture[str], pattern: str) -> None:
    said = sentence(capsys, "train", f"webdataset:{pattern}", *TINIEST)
    assert "more than 100,000 shards" in said or "does not exist" in said


BOMBS = {
    "laughs": "a: &a0 [x, x]\n" + "".join(f"b{n}: &a{n + 1} [{', '.join([f'*a{n}'] * 9)}]\n" for n in range(20)),
    "loop": "stage1: &a\n  optimizer: *a\n",
    "code": "!!python/object/apply:os.mkdir ['ran']",
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_yaml_bombs(tmp_path: Path, capsys: pytest.CaptureFixture[str], bomb: str) -> None:
    (tmp_path / "bomb.yaml").write_text(BOMBS[bomb])
    said = sentence(capsys, "train", "--config", tmp_path / "bomb.yaml", "--out", tmp_path / "run")
    assert f"{tmp_path / 'bomb.yaml'} is damaged" in said
    assert not Path("ran").exists()


def test_a_config_that_is_a_fifo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "fifo.yaml")
    assert "not a regular file" in sentence(capsys, "train", f"--config={tmp_path / 'fifo.yaml'}")


# Not noticed


def test_one_changed_byte_of_the_weights(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = bytearray((run / "model.safetensors").read_bytes())
    content[-100] ^= 1
    (run / "model.safetensors").write_bytes(content)
    for words in (["evaluate", run], ["train", "--encoder.pretrained", run, "digits", "--out", run / "new", *TINIEST]):
        assert "its checksum does not match" in sentence(capsys, *words)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("image_size", value) for value in (-1, 0, 10**9, "8", None, 8.5)],
        *[("stored_size", value) for value in (-1, 10**9, "8")],
        ("std", [0.0]),
        ("std", "0.1"),
        ("mean", [float("nan")]),
        ("mean", [0.1, 0.2]),
        ("channels", 2),
        ("class_names", "dark"),
        ("class_names", []),
        ("class_names", [1, 2]),
        ("encoder", []),
        ("encoder", {"name": "small-resnet", "width": -4}),
        ("counts", {"train": "many"}),
        ("multi_label", "no"),
    ],
)
def test_a_model_card_with_an_impossible_value(
    run: Path, capsys: pytest.CaptureFixture[str], name: str, value: Any
) -> None:
    card = json.loads((run / "model.json").read_text())
    (run / "model.json").write_text(json.dumps({**card, name: value}))
    assert "model.json does not describe a model (" in sentence(capsys, "evaluate", run)


@pytest.mark.parametrize("value", ["0.9", "good", None, [0.9], True])
def test_an_evaluation_with_text_for_a_number(
    run: Path, finished: Path, capsys: pytest.CaptureFixture[str], value: Any
) -> None:
    values = json.loads((run / "evaluation.json").read_text())
    (run / "evaluation.json").write_text(json.dumps({**values, "test/top1": value}))
    out = run / "comparison.html"
    assert "test/top1 must be a number, got" in sentence(capsys, "compare", run, finished, "--out", out)
    assert "test/top1 must be a number, got" in sentence(capsys, "report", run)


# Damaged files of a run

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda content: content[: len(content) // 2],
    "empty": lambda content: b"",
    "garbage": lambda content: bytes(range(256)) * 40,
    "text": lambda content: b"nothing of this\nkind,at,all\n1,2",
    "zeros": lambda content: bytes(len(content)),
}
CUT_LINES: dict[str, Callable[[bytes], bytes]] = {"fewer lines": lambda content: b"\n".join(content.split(b"\n")[:-9])}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize(
    ("file", "command"),
    [
        ("stage1/metrics.csv", "report"),
        ("test_outputs.npz", "report"),
        ("test_outputs.npz", "compare"),
        ("environment.json", "report"),
        ("model.json", "report"),
        ("environment.json", "compare"),
        ("splits.csv", "evaluate"),
        ("model.safetensors", "evaluate"),
    ],
)
def test_a_damaged_file(
    run: Path, finished: Path, capsys: pytest.CaptureFixture[str], file: str, command: str, damage: str
) -> None:
    path = run / file
    content = path.read_bytes()
    path.write_bytes(DAMAGES[damage](content))
    words: list[object] = [command, run]
    if command == "compare":
        words = ["compare", run, finished, "--out", run / "page.html"]
    if file == "stage1/metrics.csv" and damage == "cut":  # a shorter table is a table
        path.write_bytes(content[:-3].rsplit(b",", 2)[0])
    assert path.name in sentence(capsys, *words)


@pytest.mark.parametrize(
    ("file", "damage"),
    [
        ("recipe.yaml", "garbage"),
        ("recipe.yaml", "fewer lines"),
        ("stage1/checkpoints/last.ckpt", "cut"),
        ("stage1/checkpoints/last.ckpt", "zeros"),
        ("stage1/metrics.csv", "text"),
        ("splits.csv", "garbage"),
    ],
)
def test_a_damaged_file_of_a_run_that_is_resumed(
    run: Path, capsys: pytest.CaptureFixture[str], file: str, damage: str
) -> None:
    path = run / file
    path.write_bytes((DAMAGES | CUT_LINES)[damage](path.read_bytes()))
    (run / "evaluation.json").unlink()
    (path.parent / "previous.ckpt").unlink(missing_ok=True)
    assert path.name in sentence(capsys, "train", "--resume", "--out", run)


def test_splits_that_are_gone_are_not_drawn_again(
    images: Path, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (run / "splits.csv").unlink()
    before = (run / "evaluation.json").read_bytes()
    for words in (["evaluate", run], ["embed", run, "--out", tmp_path / "own.npz"], ["audit", run]):
        assert "splits.csv is missing; restore it, or run the training again." in sentence(capsys, *words)
    assert (run / "evaluation.json").read_bytes() == before
    assert main(["embed", str(run), str(images), "--out", str(tmp_path / "other.npz")]) == 0
    (run / "evaluation.json").unlink()
    assert "splits.csv is missing" in sentence(capsys, "train", "--resume", "--out", run)


def test_arrays_that_do_not_belong_to_the_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with np.load(run / "test_outputs.npz") as stored:
        arrays = dict(stored)
    for change in (
        {"probabilities": arrays["probabilities"][:, :1]},
        {"labels": arrays["labels"] + 10**6},
        {"labels": arrays["labels"].astype(str)},
        {"thumbnails": arrays["thumbnails"][0]},
        {"map_index": arrays["map_index"] - 5},
    ):
        np.savez(run / "test_outputs.npz", **{**arrays, **change})
        said = sentence(capsys, "report", run)
        assert "test_outputs.npz is damaged" in said or "do not fit together" in said


def test_an_array_that_claims_to_be_larger_than_any_memory(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000, 1000), }"
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    with zipfile.ZipFile(run / "test_outputs.npz", "w") as file:
        file.writestr("labels.npy", content)
    assert "test_outputs.npz is damaged" in sentence(capsys, "report", run)


# Names, places and sizes


@pytest.mark.parametrize(
    "data", ["x" * 300, "/".join(["x" * 200] * 30), "a\0b", "~nobody-of-that-name/x", os.fsdecode(b"\xff\xfe")]
)
def test_data_with_an_odd_name(capsys: pytest.CaptureFixture[str], data: str) -> None:
    sentence(capsys, "train", data, *TINIEST)
    sentence(capsys, "views", data)


def test_data_that_is_a_link_to_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    sentence(capsys, "train", tmp_path / "loop", *TINIEST)


def test_file_names_that_are_not_utf8(images: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "data"
    shutil.copytree(images, data)
    os.rename(os.fsencode(data / "dark" / "1.png"), os.fsencode(data / "dark") + b"/\xff.png")
    said = sentence(capsys, *train_words(data, tmp_path / "run"))
    assert "dark/\\udcff.png' has a name that is not UTF-8; rename it." in said


def test_a_folder_that_may_not_be_read(
    images: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    scan = os.scandir

    def closed(path: Any) -> Any:
        if str(path).endswith("dark"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", closed)
    said = sentence(capsys, *train_words(images, images.parent / "unread"))
    assert f"{images / 'dark'} cannot be read: Permission denied" in said


def test_pretrained_weights_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text.pth").write_text("weights")
    (tmp_path / "picture.safetensors").write_bytes(bytes(range(256)))
    torch.save([1, 2], tmp_path / "list.pth")
    os.mkfifo(tmp_path / "fifo.pth")
    Image.new("L", (8, 8)).save(tmp_path / "picture.pth", "PNG")
    for path in (*tmp_path.iterdir(), tmp_path / "none.pth", tmp_path, "", "/dev/zero"):
        sentence(capsys, "train", "digits", *TINIEST, "--encoder.pretrained", path, "--out", tmp_path / "run")


@pytest.mark.parametrize(
    "words",
    [
        ["--data.image_size", "1000000000"],
        ["--batch-size", "1000000000"],
        ["--encoder.width", "1000000000"],
        ["--projection.hidden", "1000000000000"],
        ["--views.count", "1000000000"],
        ["--loss.queue_size", "1000000000000"],
        ["--devices", "1000000000"],
        ["--epochs", "9" * 30],
        ["--seed", "9" * 30],
    ],
)
def test_sizes_in_the_billions(
    images: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    sentence(capsys, *train_words(images, tmp_path / "run", *words))


@pytest.mark.parametrize(
    "out",
    ["/proc/run", "/dev/null/run", "/dev/full", "FILE", "FILE/run", "x" * 300, "LOOP", "LOOP/run", "a\0b", "FIFO"],
)
def test_a_run_in_an_odd_place(images: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], out: str) -> None:
    (tmp_path / "FILE").write_text("mine")
    (tmp_path / "LOOP").symlink_to(tmp_path / "LOOP")
    os.mkfifo(tmp_path / "FIFO")
    place = out if out.startswith("/") else str(tmp_path / out)
    sentence(capsys, *train_words(images, Path(place)))
    assert (tmp_path / "FILE").read_text() == "mine"


@pytest.mark.parametrize("words", [[""], ["--recipe", ""], ["--out", ""], ["--out="], ["digits", "--data-root", ""]])
def test_an_empty_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "is empty; give a value or leave it out." in sentence(capsys, "train", *words)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("group", ["null", "[1, 2]", "3", "text"])
@pytest.mark.parametrize("name", ["stage1", "data", "stage1.optimizer"])
def test_a_group_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, group: str) -> None:
    *above, last = name.split(".")
    text = "".join(f"{part}: {{" for part in above) + f"{last}: {group}" + "}" * len(above)
    (tmp_path / "a.yaml").write_text(text)
    said = sentence(capsys, "train", "--config", tmp_path / "a.yaml", "--out", tmp_path / "run")
    assert f"{name} must be a group of named values" in said


# Wrong data


def test_days_that_hold_the_classes(images: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for day in ("monday", "tuesday", "wednesday"):
        shutil.copytree(images, tmp_path / "days" / day)
    shutil.copy(images / "dark" / "1.png", tmp_path / "days" / "monday" / "stray.png")
    said = sentence(capsys, *train_words(tmp_path / "days", tmp_path / "run"))
    assert "has no class folders with images" in said


def test_the_same_image_in_train_and_test(images: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for split in ("train", "test"):
        shutil.copytree(images, tmp_path / "data" / split)
    shutil.rmtree(tmp_path / "data" / "test" / "dark")
    tiny_images(tmp_path / "other", 16)
    for file in (tmp_path / "data" / "test" / "light").iterdir():
        if file.stem not in ("3", "5"):
            shutil.copy(tmp_path / "other" / "dark" / "15.png", file)
    assert main(train_words(tmp_path / "data", tmp_path / "run")) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "The same images are in two splits: " in said
    assert re.search(r"[12] of the 8 test images \(test/light/[35]\.png = train/light/[35]\.png", said)


@pytest.mark.parametrize("place", ["pixels", "header"])
def test_a_png_with_a_wrong_checksum(
    images: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    data = tmp_path / "data"
    shutil.copytree(images, data)
    path = data / "dark" / "2.png"
    content = bytearray(path.read_bytes())
    start = content.index(b"IDAT" if place == "pixels" else b"IHDR")
    length = int.from_bytes(content[start - 4 : start], "big")
    content[start + 4 + length] ^= 1  # of the checksum that follows
    path.write_bytes(content)
    assert f"{path} (" in sentence(capsys, *train_words(data, tmp_path / "run"))


# A full disk


# numpy 2.0 leaves the archive that it could not write to the garbage collector, which tries once more.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_evaluation_on_a_full_disk_leaves_the_figures(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "none", disk], capture_output=True).returncode:
        pytest.skip("cannot mount a small disk here")
    try:
        shutil.copytree(run, disk / "run")
        before = (disk / "run" / "evaluation.json").read_bytes()
        free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_bsize
        for left in (0, 4096):
            with (disk / "fill").open("wb") as fill:
                fill.write(bytes(free - left))
            assert "The disk is full" in sentence(capsys, "evaluate", disk / "run", "--bins", "5")
            now = json.loads((disk / "run" / "evaluation.json").read_text())
            assert now.keys() >= json.loads(before).keys()
        assert not list((disk / "run").rglob(".*.partial"))
    finally:
        subprocess.run(["umount", disk], check=True)

"""One trained run, asked about the same images in every way there is: the probabilities are equal to 1e-5."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import supcon
from references.http_requests import answer, post
from supcon.cli.main import main

onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

LABELS = [9, 10, 100]
"""Sorted as text they would stand in another order."""
SIZES = [(16, 16), (13, 9), (31, 17), (7, 11), (50, 64), (128, 128)]
Chances = NDArray[np.float32]


def picture(height: int, width: int, channels: int, seed: int = 0) -> NDArray[np.uint8]:
    shape = (height, width) if channels == 1 else (height, width, channels)
    return np.random.default_rng([seed, height, width]).integers(0, 256, shape, dtype=np.uint8)


@pytest.fixture(scope="module", params=[1, 3], ids=["trained on grey", "trained on RGB"])
def trained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> supcon.SupConClassifier:
    """A scikit-learn classifier whose run is kept; brightness tells the class."""
    images = np.stack([picture(16, 16, request.param, seed) // 3 + 70 * (seed % 3) for seed in range(60)])
    options = {"encoder.name": "small-resnet", "encoder.width": 8, "stage2.epochs": 10, "batch_size": 16}
    made = supcon.SupConClassifier(
        recipe="folder", epochs=2, options=options, device="cpu", out=tmp_path_factory.mktemp("runs") / "run"
    )
    return made.fit(images, np.array(LABELS)[np.arange(60) % 3])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Grey and RGB, of odd sizes."""
    folder = tmp_path_factory.mktemp("images")
    for height, width in SIZES:
        for channels in (1, 3):
            Image.fromarray(picture(height, width, channels)).save(folder / f"{height}x{width}x{channels}.png")
    return sorted(folder.iterdir())


def by_command(run: Path, files: list[Path], capsys: pytest.CaptureFixture[str]) -> dict[str, Chances]:
    capsys.readouterr()
    assert main(["predict", str(run), *map(str, files), "--json", "--top", "3", "--device", "cpu"]) == 0
    entries = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [entry["path"] for entry in entries] == [str(path) for path in files]
    return by_class(entries, [entry["top"] for entry in entries])


def by_class(entries: list[dict[str, Any]], chances: list[dict[str, float]]) -> dict[str, Chances]:
    """[image] for every class, from the probabilities of all classes of every image, the most likely first."""
    assert [entry["class"] for entry in entries] == [next(iter(chance)) for chance in chances]
    assert all(list(chance.values()) == sorted(chance.values(), reverse=True) for chance in chances)
    return {str(name): np.array([chance[str(name)] for chance in chances], np.float32) for name in LABELS}


def by_onnx(run: Path, files: list[Path], channels: int) -> dict[str, Chances]:
    """onnxruntime alone, as a program without supcon uses the file: the conversion of colours is the caller's."""
    session = onnxruntime.InferenceSession(str(run / "export" / "model.onnx"))
    names = json.loads(session.get_modelmeta().custom_metadata_map["class_names"])
    rows = []
    for path in files:
        pixels = np.asarray(Image.open(path).convert("L" if channels == 1 else "RGB"))
        batch = pixels[None, None] if channels == 1 else pixels.transpose(2, 0, 1)[None]
        rows.append(session.run(["probabilities"], {"images": batch})[0][0])
    return dict(zip(names, np.stack(rows).T, strict=True))


def by_server(run: Path, files: list[Path], start_server: Callable[..., Any]) -> dict[str, Chances]:
    server = start_server("--no-search", run=run)
    status, body = answer(server.port, post("/predict?top=3", [(path.name, path.read_bytes()) for path in files]))
    assert status == 200
    assert [entry["name"] for entry in body["images"]] == [path.name for path in files]
    chances = [{each["class"]: each["probability"] for each in entry["top"]} for entry in body["images"]]
    return by_class(body["images"], chances)


def test_every_way_gives_the_same_probabilities(
    trained: supcon.SupConClassifier,
    files: list[Path],
    start_server: Callable[..., Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = Path(str(trained.out))
    model = supcon.load(run, device="cpu")
    assert model.classes == ["9", "10", "100"]
    supcon.export(run, format="onnx", preprocessing="resize")
    expected = dict(zip(model.classes, model.predict_proba(files).T, strict=True))
    from_arrays = [trained.predict_proba(np.asarray(Image.open(path))[None])[0] for path in files]
    found = {
        "the command": by_command(run, files, capsys),
        "ONNX": by_onnx(run, files, model.card.channels),
        "scikit-learn": dict(zip(map(str, trained.classes_), np.stack(from_arrays).T, strict=True)),
    }
    if model.card.channels == 3:  # the server of a grey run is that of test_app.py
        found["the server"] = by_server(run, files, start_server)
    for way, chances in found.items():
        assert set(chances) == set(expected)
        for name, values in chances.items():
            np.testing.assert_allclose(values, expected[name], atol=1e-5, err_msg=f"{name} by {way}")
    spread = np.stack(list(expected.values()))
    assert spread.std(1).min() > 1e-3  # else a wrong answer could not be told from a right one

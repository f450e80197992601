import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image

from supcon.base.errors import RequestError, WorkError
from supcon.serving import Model, load_onnx, quantize, write_onnx
from supcon.serving.export import onnx_file
from supcon.serving.export.export_network import export_network
from supcon.serving.export.onnx_file import largest_difference

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")


def pixels(count: int, height: int, width: int, channels: int = 3) -> np.ndarray:
    return np.random.default_rng(count).integers(0, 256, (count, channels, height, width), dtype=np.uint8)


def pictures(batch: np.ndarray) -> list[Image.Image]:
    return [Image.fromarray(image.transpose(1, 2, 0) if len(image) == 3 else image[0]) for image in batch]


@pytest.fixture(scope="module")
def resizing(make_model: Callable[..., Model], tmp_path_factory: pytest.TempPathFactory) -> tuple[Model, Path]:
    """A file that takes images of any size, with its model."""
    model, path = make_model(), tmp_path_factory.mktemp("onnx") / "model.onnx"
    assert write_onnx(model, path, preprocessing="resize") <= 1e-5
    return model, path


@pytest.mark.parametrize(
    ("count", "height", "width"), [(1, 16, 16), (5, 40, 33), (2, 9, 13), (3, 64, 128), (1, 500, 300)]
)
def test_onnxruntime_predicts_what_the_model_predicts(
    resizing: tuple[Model, Path], count: int, height: int, width: int
) -> None:
    model, batch = resizing[0], pixels(count, height, width)
    found = load_onnx(resizing[1])(batch)
    np.testing.assert_allclose(found["probabilities"], model.predict_proba(pictures(batch)), atol=1e-5)
    np.testing.assert_allclose(found["representation"], model.embed(pictures(batch)), atol=1e-5)


def test_the_metadata_has_classes_and_preprocessing(resizing: tuple[Model, Path]) -> None:
    loaded = load_onnx(resizing[1])
    assert loaded.classes == list(resizing[0].card.class_names)
    assert json.loads(loaded.metadata["mean"]) == [0.4, 0.5, 0.6]
    assert loaded.metadata["image_size"] == "14"
    assert loaded.metadata["preprocessing"] == "resize"


def test_the_same_weights_are_recognized(resizing: tuple[Model, Path], make_model: Callable[..., Model]) -> None:
    model, path = resizing
    assert load_onnx(path, weights=model.digest).weights == make_model().digest
    other = make_model(image_size=12, encoder={"name": "small-resnet", "width": 4})
    with pytest.raises(RequestError) as caught:
        load_onnx(path, weights=other.digest)
    assert str(caught.value) == (
        f"{path} was exported from another run (trained on photos by supcon), or before this one was trained again; "
        "export it again from this run."
    )


@pytest.mark.parametrize("damage", ["cut", "text", "empty"])
def test_a_damaged_file_is_refused(resizing: tuple[Model, Path], tmp_path: Path, damage: str) -> None:
    content = resizing[1].read_bytes()
    path = tmp_path / "model.onnx"
    path.write_bytes({"cut": content[: len(content) // 2], "text": b"no graph", "empty": b""}[damage])
    with pytest.raises(
        RequestError, match=r"model\.onnx (cannot be read as an ONNX file|was not written by supcon)"
    ) as e:
        load_onnx(path)
    assert "\n" not in str(e.value)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="There is no ONNX file"):
        load_onnx(tmp_path / "model.onnx")


GREY = {"channels": 1, "mean": (0.5,), "std": (0.25,), "multi_label": True}


@pytest.fixture(scope="module")
def grey(make_model: Callable[..., Model], tmp_path_factory: pytest.TempPathFactory) -> tuple[Model, Path]:
    """A file for grey images with several labels, with its model."""
    model, path = make_model(**GREY), tmp_path_factory.mktemp("onnx") / "model.onnx"
    write_onnx(model, path)
    return model, path


def test_grey_images_with_several_labels(grey: tuple[Model, Path]) -> None:
    model, path = grey
    batch = pixels(4, 14, 14, channels=1)
    with torch.inference_mode():
        expected = model.classifier(model.encoder(torch.from_numpy(batch))).sigmoid()
    np.testing.assert_allclose(load_onnx(path)(batch)["probabilities"], expected, atol=1e-5)


def test_the_encoder_alone_of_normalized_images(make_model: Callable[..., Model], tmp_path: Path) -> None:
    model = make_model(encoder={"name": "resnet18", "normalize_representation": False})
    write_onnx(model, tmp_path / "model.onnx", part="encoder", preprocessing="none")
    batch = torch.from_numpy(pixels(4, 14, 14))
    mean, std = (torch.tensor(values).view(-1, 1, 1) for values in (model.card.mean, model.card.std))
    found = load_onnx(tmp_path / "model.onnx")(((batch / 255 - mean) / std).numpy())
    with torch.inference_mode():
        expected = model.encoder(batch)
    assert set(found) == {"representation"}
    np.testing.assert_allclose(found["representation"], expected, atol=1e-5 * max(1.0, expected.abs().max()))


def test_quantized_weights_predict_nearly_the_same(grey: tuple[Model, Path], tmp_path: Path) -> None:
    model, path = grey
    quantize(path, tmp_path / "small.onnx")
    assert (tmp_path / "small.onnx").stat().st_size < 0.7 * path.stat().st_size  # a tiny network is mostly its graph
    images = pixels(8, 14, 14, channels=1)
    before, after = (load_onnx(file, weights=model.digest)(images) for file in (path, tmp_path / "small.onnx"))
    assert 0 < np.abs(before["probabilities"] - after["probabilities"]).max() < 0.02
    assert load_onnx(tmp_path / "small.onnx").classes == list(model.card.class_names)


def test_other_weights_make_a_difference(grey: tuple[Model, Path], make_model: Callable[..., Model]) -> None:
    model, path = make_model(**GREY), grey[1]
    network = export_network(model, "classifier", "normalize")
    assert largest_difference(path.read_bytes(), network, model) <= 1e-5
    with torch.no_grad():
        model.classifier.bias[0] += 0.001
    assert largest_difference(path.read_bytes(), network, model) > 1e-5


def test_a_file_that_differs_from_pytorch_is_not_written(
    grey: tuple[Model, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import onnx

    program = SimpleNamespace(model_proto=onnx.load(grey[1]))
    monkeypatch.setattr(onnx_file, "_exported", lambda *_: program)
    monkeypatch.setattr(onnx_file, "largest_difference", lambda *_: 2e-5)
    with pytest.raises(WorkError, match=r"differ from PyTorch's by 2e-05, more than 1e-05, so .* was not written"):
        write_onnx(grey[0], tmp_path / "model.onnx")
    assert list(tmp_path.iterdir()) == []


def test_without_the_packages_the_extra_is_named(
    make_model: Callable[..., Model], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(RequestError, match=r"pip install supcon\[onnx\]"):
        write_onnx(make_model(), tmp_path / "model.onnx")

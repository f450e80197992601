import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image

from supcon.base.errors import RequestError, WorkError
from supcon.serving import Model, load_onnx, write_onnx
from supcon.serving.export import onnx_file
from supcon.serving.export.export_network import export_network
from supcon.serving.export.onnx_file import largest_difference

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")


def pixels(count: int, height: int, width: int, channels: int = 3) -> np.ndarray:
    return np.random.default_rng(count).integers(0, 256, (count, channels, height, width), dtype=np.uint8)


def pictures(batch: np.ndarray) -> list[Image.Image]:
    return [Image.fromarray(image.transpose(1, 2, 0) if len(image) == 3 else image[0]) for image in batch]


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


def test_other_weights_make_a_difference(grey: tuple[Model, Path], make_model: Callable[..., Model]) -> None:
    model, path = make_model(channels=1, mean=(0.5,), std=(0.25,), multi_label=True), grey[1]
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
    with pytest.raises(RequestError, match=r"pip install 'supcon\[onnx\]'"):
        write_onnx(make_model(), tmp_path / "model.onnx")

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from supcon.base.errors import RequestError
from supcon.serving import Model, load_onnx


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


def test_the_metadata_has_classes_and_preprocessing(resizing: tuple[Model, Path]) -> None:
    loaded = load_onnx(resizing[1])
    assert loaded.classes == list(resizing[0].card.class_names)
    assert json.loads(loaded.metadata["mean"]) == [0.4, 0.5, 0.6]
    assert loaded.metadata["image_size"] == "14"
    assert loaded.metadata["preprocessing"] == "resize"

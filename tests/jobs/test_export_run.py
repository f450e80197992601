"""What the command prints and writes is tested in cli/test_export.py."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supcon
from references.untrained_run import untrained_digits
from supcon.base.errors import RequestError
from supcon.jobs import export_run
from supcon.jobs.run_data import load_run_data
from supcon.runs import Run
from supcon.serving import OnnxModel


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return untrained_digits(tmp_path_factory.mktemp("exported") / "digits")


def test_safetensors_is_a_door_to_the_same_model(digits: Path, tmp_path: Path) -> None:
    done = supcon.export(digits, format="safetensors", out=tmp_path / "a" / "m.safetensors")
    images = np.random.default_rng(0).integers(0, 256, (4, 1, 20, 30), dtype=np.uint8)
    expected = supcon.load(digits).predict_proba(images)
    np.testing.assert_array_equal(supcon.load(done.path).predict_proba(images), expected)
    assert done.difference is None


def test_another_folder_is_not_overwritten(digits: Path, tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(RequestError, match="exists and is not a folder of a timm model"):
        supcon.export(digits, format="timm", out=tmp_path)
    assert (tmp_path / "letter.txt").exists()


class AlwaysSeven(OnnxModel):
    """In place of an ONNX file."""

    def __init__(self, preprocessing: str) -> None:
        super().__init__(None, {"preprocessing": preprocessing})
        self.seen: Any = None

    def __call__(self, images: Any) -> dict[str, Any]:
        self.seen = images
        probabilities = np.zeros((len(images), 10), dtype=np.float32)
        probabilities[:, 7] = 1
        return {"representation": np.zeros((len(images), 32), dtype=np.float32), "probabilities": probabilities}


@pytest.mark.parametrize(("preprocessing", "kind"), [("none", "float32"), ("normalize", "uint8"), ("resize", "uint8")])
def test_the_accuracy_is_that_of_the_validation_images(digits: Path, preprocessing: str, kind: str) -> None:
    data, model, file = load_run_data(Run(digits)), supcon.load(digits), AlwaysSeven(preprocessing)
    found = export_run._validation_accuracy(file, model, data)
    assert found == pytest.approx((data.validation.labels == 7).double().mean().item())
    assert file.seen.dtype == kind
    assert list(file.seen.shape[1:]) == [1, 8, 8]
    assert (abs(file.seen).max() < 10) == (preprocessing == "none")


def test_without_the_data_the_accuracy_is_not_measured(
    digits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> None:
        raise RequestError("photos/ is gone.")

    monkeypatch.setattr(export_run, "quantize", lambda *_: None)
    monkeypatch.setattr(export_run, "load_run_data", gone)
    cost = export_run._quantized(digits, supcon.load(digits), tmp_path / "model.onnx")
    assert (cost.float32, cost.int8, cost.reason) == (None, None, "photos/ is gone.")

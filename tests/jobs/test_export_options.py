"""The values of `supcon export`."""

from pathlib import Path

import pytest

from supcon.base.errors import RequestError, WorkError
from supcon.jobs.export_options import check_export, check_export_path


def test_values_that_do_not_fit_together() -> None:
    with pytest.raises(
        RequestError, match=r"^--int8 and --preprocessing are for --format onnx, got --format timm; leave"
    ):
        check_export("timm", int8=True)
    with pytest.raises(RequestError, match=r"got --format safetensors"):
        check_export("safetensors", "resize")
    check_export("onnx", "resize", int8=True)


def test_places_that_take_no_file(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=r"^--out must be a file that ends in \.onnx, got "):
        check_export("onnx", out=tmp_path / "model.bin")
    with pytest.raises(WorkError, match=r"^/proc/model\.onnx could not be written"):
        check_export("onnx", out="/proc/model.onnx")
    (tmp_path / "photo.jpg").touch()
    with pytest.raises(
        RequestError, match=r" exists and is not a folder of a timm model; choose another with --out\.$"
    ):
        check_export_path(tmp_path, "timm")
    check_export_path(tmp_path / "new" / "model.safetensors", "safetensors")
    assert not (tmp_path / "new").exists()


def test_no_file_to_check(tmp_path: Path) -> None:
    with pytest.raises(
        RequestError, match=r"^There is no ONNX file .*nowhere\.onnx; write one with `supcon export RUN"
    ):
        check_export("onnx", check=tmp_path / "nowhere.onnx")

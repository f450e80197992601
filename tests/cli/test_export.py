from pathlib import Path

import numpy as np
import pytest

import supcon
from references.refused_command import refused_command
from references.untrained_run import untrained_digits
from supcon.cli.main import main
from supcon.serving import load_onnx

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return untrained_digits(tmp_path_factory.mktemp("exported") / "digits")


def test_the_command_writes_onnx_and_int8_and_says_what_they_cost(
    digits: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(digits), "--preprocessing", "resize", "--int8"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("largest difference from PyTorch: ")
    assert float(printed[0].split(": ")[1]) <= 1e-5
    assert printed[1].startswith(f"onnx: {digits}/export/model.onnx (")
    assert printed[2].startswith("accuracy on 180 validation images: float32 ")
    assert printed[3].startswith(f"int8: {digits}/export/model.int8.onnx (")
    model, exported = supcon.load(digits), load_onnx(digits / "export" / "model.onnx")
    images = np.random.default_rng(0).integers(0, 256, (4, 1, 20, 30), dtype=np.uint8)
    np.testing.assert_allclose(exported(images)["probabilities"], model.predict_proba(images), atol=1e-5)
    assert exported.weights == model.digest
    assert main(["export", str(digits), "--check", str(digits / "export" / "model.onnx")]) == 0
    assert capsys.readouterr().out == printed[0] + "\n"


def test_a_file_of_another_run_is_refused(digits: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import onnx

    proto = onnx.load(digits / "export" / "model.onnx")
    for entry in proto.metadata_props:
        if entry.key == "weights":
            entry.value = "0" * 32
    onnx.save(proto, tmp_path / "model.onnx")
    sentence = refused_command(["export", str(digits), "--check", str(tmp_path / "model.onnx")], capsys)
    assert f"{tmp_path}/model.onnx was exported from another run (trained on digits by supcon)" in sentence


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--format", "timm"], "timm has no network like the encoder of this run (small-resnet)"),
        (["--format", "timm", "--int8"], "--int8 and --preprocessing are for --format onnx, got --format timm"),
        (["--out", "model.txt"], "--out must be a file that ends in .onnx, got 'model.txt'."),
        (["--format", "pickle"], "--format must be one of onnx, safetensors, timm, got 'pickle'."),
        (["--part", "head"], "--part must be one of classifier, encoder, got 'head'."),
    ],
)
def test_what_cannot_be_exported_is_refused(
    digits: Path, capsys: pytest.CaptureFixture[str], options: list[str], sentence: str
) -> None:
    assert sentence in refused_command(["export", str(digits), *options], capsys)

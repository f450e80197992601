from pathlib import Path

import numpy as np

from supcon.serving import Model, load_onnx, quantize


def test_quantized_weights_predict_nearly_the_same(grey: tuple[Model, Path], tmp_path: Path) -> None:
    model, path = grey
    quantize(path, tmp_path / "small.onnx")
    assert (tmp_path / "small.onnx").stat().st_size < 0.7 * path.stat().st_size  # a tiny network is mostly its graph
    images = np.random.default_rng(0).integers(0, 256, (8, 1, 14, 14), dtype=np.uint8)
    before, after = (load_onnx(file, weights=model.digest)(images) for file in (path, tmp_path / "small.onnx"))
    assert 0 < np.abs(before["probabilities"] - after["probabilities"]).max() < 0.02
    assert load_onnx(tmp_path / "small.onnx").classes == list(model.card.class_names)

"""ONNX files with weights of 8 bits."""

import logging
from pathlib import Path

from supcon.base.atomic_files import replacing


def quantize(source: Path, path: Path) -> None:
    """Writes `source` with 8-bit weights: onnxruntime's dynamic quantization, which needs no images.

    The inputs of every layer are quantized too, by their range in each batch, so that an image's result depends
    slightly on the images that are in the batch with it.
    """
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    proto = onnx.load(source)
    # The quantizer transposes the classifier's weights, which then contradicts the shape that is recorded for them.
    del proto.graph.value_info[:]
    log = logging.getLogger()
    disabled, log.disabled = log.disabled, True  # it recommends simplifying the graph, which torch's exporter has done
    try:
        with replacing(path) as temporary:
            # Unsigned, because onnxruntime has no convolution for signed weights on a CPU.
            quantize_dynamic(proto, temporary, weight_type=QuantType.QUInt8)
    finally:
        log.disabled = disabled

"""Loading and using a trained model."""

from typing import TYPE_CHECKING

from supcon.base.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from supcon.serving.export.export_network import Part as Part
    from supcon.serving.export.export_network import Preprocessing as Preprocessing
    from supcon.serving.export.onnx_file import write_onnx as write_onnx
    from supcon.serving.export.onnx_model import OnnxModel as OnnxModel
    from supcon.serving.export.onnx_model import load_onnx as load_onnx
    from supcon.serving.export.quantized import quantize as quantize
    from supcon.serving.export.safetensors_file import write_safetensors as write_safetensors
    from supcon.serving.export.timm_folder import write_timm as write_timm
    from supcon.serving.model import Model as Model
    from supcon.serving.model import ModelCard as ModelCard
    from supcon.serving.model import load as load
    from supcon.serving.model import save_model as save_model
else:
    __getattr__, __dir__ = lazy_imports(__name__, __file__)

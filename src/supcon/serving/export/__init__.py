"""A trained model in the formats of other programs: ONNX, safetensors, timm."""

"""The encoders, Enc(·) in the paper: from images to representations."""

from typing import TYPE_CHECKING

from supcon.base.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from supcon.encoder.config import RESNETS as RESNETS
    from supcon.encoder.config import EncoderConfig as EncoderConfig
    from supcon.encoder.encoder import Encoder as Encoder
    from supcon.encoder.encoder import make_encoder as make_encoder
    from supcon.encoder.freezing import frozen_layers as frozen_layers
    from supcon.encoder.input_statistics import pretrained_statistics as pretrained_statistics
    from supcon.encoder.mixed_weights import copy_weights as copy_weights
    from supcon.encoder.mixed_weights import mix_weights as mix_weights
    from supcon.encoder.stem import resolve_stem as resolve_stem
    from supcon.encoder.torchvision_names import to_torchvision_names as to_torchvision_names
    from supcon.encoder.weights_file import tensors_from_bytes as tensors_from_bytes
    from supcon.encoder.weights_file import weights_bytes as weights_bytes
    from supcon.encoder.weights_file import weights_content as weights_content
else:
    __getattr__, __dir__ = lazy_imports(__name__, __file__)

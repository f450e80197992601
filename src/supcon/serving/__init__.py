"""Loading and using a trained model."""

from typing import TYPE_CHECKING

from supcon.base.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from supcon.serving.added_classes import add_classes as add_classes
    from supcon.serving.auditing.audit_images import Audit as Audit
    from supcon.serving.auditing.audit_images import audit_images as audit_images
    from supcon.serving.auditing.distinct_pairs import distinct_pairs as distinct_pairs
    from supcon.serving.auditing.hardest_pairs import HardPairs as HardPairs
    from supcon.serving.auditing.label_scores import ESTIMATORS as ESTIMATORS
    from supcon.serving.auditing.label_scores import label_scores as label_scores
    from supcon.serving.choose_device import Device as Device
    from supcon.serving.choose_device import torch_device as torch_device
    from supcon.serving.cosine_search import Neighbours as Neighbours
    from supcon.serving.cosine_search import most_similar_rows as most_similar_rows
    from supcon.serving.export.export_network import Part as Part
    from supcon.serving.export.export_network import Preprocessing as Preprocessing
    from supcon.serving.export.export_network import export_network as export_network
    from supcon.serving.export.onnx_file import largest_difference as largest_difference
    from supcon.serving.export.onnx_file import write_onnx as write_onnx
    from supcon.serving.export.onnx_model import OnnxModel as OnnxModel
    from supcon.serving.export.onnx_model import load_onnx as load_onnx
    from supcon.serving.export.quantized import quantize as quantize
    from supcon.serving.export.safetensors_file import write_safetensors as write_safetensors
    from supcon.serving.export.timm_folder import write_timm as write_timm
    from supcon.serving.file_predictions import FilePrediction as FilePrediction
    from supcon.serving.file_predictions import predict_files as predict_files
    from supcon.serving.gallery import Gallery as Gallery
    from supcon.serving.gallery import gallery_key as gallery_key
    from supcon.serving.hub_model import PAPER as PAPER
    from supcon.serving.hub_model import HubModel as HubModel
    from supcon.serving.hub_model import push_to_hub as push_to_hub
    from supcon.serving.hub_model import write_hub_folder as write_hub_folder
    from supcon.serving.image_inputs import ImagesLike as ImagesLike
    from supcon.serving.image_inputs import image_batch as image_batch
    from supcon.serving.image_inputs import image_files as image_files
    from supcon.serving.model import Model as Model
    from supcon.serving.model_card import ModelCard as ModelCard
    from supcon.serving.model_card import read_card as read_card
    from supcon.serving.saved_model import load as load
    from supcon.serving.saved_model import model_bytes as model_bytes
    from supcon.serving.saved_model import model_from_bytes as model_from_bytes
    from supcon.serving.saved_model import save_model as save_model
    from supcon.serving.server.app import make_app as make_app
    from supcon.serving.server.run_server import listening as listening
    from supcon.serving.server.run_server import run_server as run_server
    from supcon.serving.server.serve_limits import ServeLimits as ServeLimits
    from supcon.serving.server.shown_gallery import ShownGallery as ShownGallery
else:
    __getattr__, __dir__ = lazy_imports(__name__, __file__)

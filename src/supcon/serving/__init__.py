"""Loading and using a trained model."""

from typing import TYPE_CHECKING

from supcon.base.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from supcon.serving.added_classes import add_classes as add_classes
    from supcon.serving.auditing.audit_images import Audit as Audit
    from supcon.serving.auditing.audit_images import audit_images as audit_images
    from supcon.serving.auditing.label_scores import JUDGES as JUDGES
    from supcon.serving.auditing.label_scores import label_scores as label_scores
    from supcon.serving.choose_device import Device as Device
    from supcon.serving.choose_device import torch_device as torch_device
    from supcon.serving.cosine_search import Neighbours as Neighbours
    from supcon.serving.cosine_search import nearest_rows as nearest_rows
    from supcon.serving.file_predictions import FilePrediction as FilePrediction
    from supcon.serving.file_predictions import predict_files as predict_files
    from supcon.serving.gallery import Gallery as Gallery
    from supcon.serving.gallery import gallery_key as gallery_key
    from supcon.serving.image_inputs import ImagesLike as ImagesLike
    from supcon.serving.image_inputs import image_batch as image_batch
    from supcon.serving.image_inputs import image_files as image_files
    from supcon.serving.model import Model as Model
    from supcon.serving.model_card import ModelCard as ModelCard
    from supcon.serving.saved_model import load as load
    from supcon.serving.saved_model import model_bytes as model_bytes
    from supcon.serving.saved_model import model_from_bytes as model_from_bytes
    from supcon.serving.saved_model import save_model as save_model
else:
    __getattr__, __dir__ = lazy_imports(__name__, __file__)

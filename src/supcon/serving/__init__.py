"""Putting a trained model to use."""

from supcon.serving.model import Model, ModelCard, load, save_model

__all__ = ["Model", "ModelCard", "load", "save_model"]

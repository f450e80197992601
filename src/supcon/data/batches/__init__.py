"""Samplers, which choose the images of each batch, and data loaders."""

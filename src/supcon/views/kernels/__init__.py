"""Pixel arithmetic on batches, used by the steps."""

"""Pixel arithmetic on batches: what the steps call."""

"""Evaluation of a finished run: on its own test images, on corrupted ones or on other data."""

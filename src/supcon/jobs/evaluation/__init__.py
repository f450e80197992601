"""Measuring a finished run again, on its own test images, on corrupted ones or on other data."""

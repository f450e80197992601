"""Robustness, calibration, transfer, fewer and wrong labels, and what the gradients do."""

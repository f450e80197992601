"""Experiments on robustness, calibration, transfer, reduced data, label noise and gradients."""

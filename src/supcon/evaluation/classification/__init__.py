"""Metrics of predicted probabilities: accuracy, calibration, Brier score, average precision."""

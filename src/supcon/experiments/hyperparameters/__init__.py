"""Experiments on the effect of hyperparameters."""

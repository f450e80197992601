"""Optimizers, learning rates, weight decay and weight averaging."""

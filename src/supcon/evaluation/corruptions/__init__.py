"""The corruptions of ImageNet-C for whole batches. No imports here: `parameters` must not import torch."""

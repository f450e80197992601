"""The corruptions of ImageNet-C for whole batches, each with its published parameters."""

from supcon.evaluation.corruptions.corrupt import corrupt
from supcon.evaluation.corruptions.parameters import CORRUPTIONS, EXTRA_CORRUPTIONS, LARGE, SMALL, published_parameters

__all__ = ["CORRUPTIONS", "EXTRA_CORRUPTIONS", "LARGE", "SMALL", "corrupt", "published_parameters"]

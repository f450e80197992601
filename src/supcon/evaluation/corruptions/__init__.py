"""The corruptions of ImageNet-C for whole batches. Nothing is imported here, so that `parameters` stays free of torch."""

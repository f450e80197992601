"""The corruptions of ImageNet-C for whole batches. Nothing is imported here: `parameters` stays free of torch."""

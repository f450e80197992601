"""The random steps of the augmentations, and AutoAugment's policies."""

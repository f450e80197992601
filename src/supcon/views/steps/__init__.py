"""The random steps that augmentations are made of, and the policies that choose among them."""

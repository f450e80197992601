"""Which images make a batch, and the data loaders."""

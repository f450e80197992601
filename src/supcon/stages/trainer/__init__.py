"""Runs a stage with Lightning: the trainer, checkpoints, processes, random numbers, dry runs."""

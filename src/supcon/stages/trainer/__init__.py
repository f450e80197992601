"""Running a stage on Lightning: the trainer, checkpoints, processes, random numbers, dry runs."""

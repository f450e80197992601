"""What every other folder stands on: errors, tensor shapes, progress, processes, atomic files, lazy imports."""

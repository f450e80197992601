"""Used by all other packages: errors, tensor shapes, arrays, progress, processes, atomic files, lazy imports."""

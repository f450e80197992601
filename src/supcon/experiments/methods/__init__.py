"""Comparisons of losses and methods."""

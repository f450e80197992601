"""Runs the paper's tables and figures: single cells, their distribution to workers, and the written results."""

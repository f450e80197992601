"""Losses and methods against each other."""

"""A run's encoder on other data sets."""

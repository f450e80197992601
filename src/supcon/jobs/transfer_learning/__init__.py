"""A run's encoder on other data sets. Nothing is imported here: `config` and `published` stay free of torch."""

"""Transfer of a run's encoder to other data sets. Imports nothing, so that `config` can be used without torch."""

"""The training stages. Nothing is imported here, so that `config` stays free of torch."""

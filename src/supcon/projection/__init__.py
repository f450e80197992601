"""Proj(.) of the paper. Nothing is imported here, so that `config` stays free of torch."""

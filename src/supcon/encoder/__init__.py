"""Enc(.) of the paper: images to representations. Nothing is imported here, so that `config` stays free of torch."""

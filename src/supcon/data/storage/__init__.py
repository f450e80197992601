"""Decoding images, and holding them in memory, in a mapped cache or on disk."""

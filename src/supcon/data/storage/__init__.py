"""Decoding images, and keeping them in memory, in a memory-mapped cache, or encoded on disk."""

"""Frost, with the photographs of the published sets or a texture of our own."""

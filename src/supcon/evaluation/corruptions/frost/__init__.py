"""Frost, with the photographs of the published sets or with supcon's own texture."""

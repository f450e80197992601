"""Metrics of representations: neighbours, prototypes, retrieval, geometry, the 2-D map."""

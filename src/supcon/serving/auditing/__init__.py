"""Finding wrong labels, near-duplicates and overlapping classes from representations."""

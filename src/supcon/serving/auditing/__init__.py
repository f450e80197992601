"""Finding wrong labels, hard pairs, near-duplicates and overlapping classes from representations."""

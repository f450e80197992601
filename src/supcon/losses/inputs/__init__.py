"""From the caller's arguments to the pairs that the engine computes with: checks, gathering, scaling."""

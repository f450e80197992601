"""The hash by which runs that were tested on the same images are recognized."""

from supcon.base.stored_arrays import read_array
from supcon.runs import Run


def stored_fingerprint(run: Run) -> str:
    """The hash of the run's test images and their labels; empty for runs of older versions, which did not store it."""
    found = read_array(run.outputs_file, "fingerprint", "train the run again")
    return "" if found is None else str(found)

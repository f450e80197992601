"""Images that are in two splits: a test image that was trained on makes the figures better than they are."""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from supcon.data.stratified_splits import Indices

_EXAMPLES = 2


def repeated_sentence(
    digests: NDArray[np.uint8], parts: Mapping[str, Indices], name: Callable[[int], str]
) -> str | None:
    """A sentence about images of equal bytes in the training images and another split; None if there are none.

    `digests` has a hash of every image's content, `parts` the rows of every split in it, and `name(row)` says
    what the image of a row is called.
    """
    known = {digests[row].tobytes(): row for row in parts["train"].tolist()}
    sentences = []
    for split in ("validation", "test"):
        again = [(row, first) for row in parts[split].tolist()
                 if (first := known.get(digests[row].tobytes())) is not None]  # fmt: skip
        if again:
            shown = ", ".join(f"{name(row)} = {name(first)}" for row, first in again[:_EXAMPLES])
            sentences.append(f"{len(again):,} of the {len(parts[split]):,} {split} images ({shown})")
    if not sentences:
        return None
    return (
        f"The same images are in two splits: {' and '.join(sentences)} are training images byte for byte, which makes "
        "the measured accuracy too high; remove them from one of the splits."
    )

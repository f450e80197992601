"""16-bit images that use a small part of their range, such as 10-bit data of a camera: they are read as black."""

from collections.abc import Sequence

from supcon.data.sources.encoded_images import EncodedImages, ImageSource
from supcon.data.storage.decode import SIXTEEN_BITS, sixteen_bit_range

_SAMPLE = 32
_DARK = 1 / 8
"""Share of the range; 12 bits are 1/16 of it, and a few dark photographs do not stay below it all together."""


def dark_sentence(name: str, sources: EncodedImages | Sequence[ImageSource]) -> str | None:
    """A sentence about 16-bit images none of which is bright, judged by a few of them; None if there are no such."""
    step = max(1, len(sources) // _SAMPLE)
    ranges = [found for row in range(0, len(sources), step) if (found := sixteen_bit_range(sources[row])) is not None]
    if not ranges:
        return None
    lowest, highest = min(low for low, _ in ranges), max(high for _, high in ranges)
    if highest >= _DARK * SIXTEEN_BITS:
        return None
    return (
        f"The 16-bit images of {name} are read as nearly black: {SIXTEEN_BITS:,.0f} is white, and the values of the "
        f"{len(ranges)} images that were looked at are from {lowest:,} to {highest:,}; multiply the pixels by "
        f"{SIXTEEN_BITS / max(highest, 1):.4g}, or write 8-bit files."
    )

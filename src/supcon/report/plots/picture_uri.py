"""One picture as a data URI, small enough for a page of many."""

import base64
import io

from PIL import Image


def picture_uri(image: Image.Image, side: int = 128) -> str:
    """The picture with its longer side reduced to `side`: JPEG, or PNG if it is smaller than that.

    >>> picture_uri(Image.new("L", (8, 8)))[:22]
    'data:image/png;base64,'
    """
    small = image.convert("L" if image.mode in ("1", "L") else "RGB")
    lossless = max(small.size) <= side // 2  # small pictures are shown enlarged, where JPEG would be visible
    small.thumbnail((side, side))
    buffer = io.BytesIO()
    if lossless:
        small.save(buffer, "PNG")
    else:
        small.save(buffer, "JPEG", quality=80)
    kind = "png" if lossless else "jpeg"
    return f"data:image/{kind};base64,{base64.b64encode(buffer.getvalue()).decode()}"

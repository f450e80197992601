"""Chooses the pairs of images to list, so that they do not repeat each other."""

from collections import Counter
from collections.abc import Iterable

_MOST_OF_AN_IMAGE = 2


def distinct_pairs(pairs: Iterable[tuple[int, int]], most: int) -> list[int]:
    """The indices of the first `most` pairs without repetition.

    A pair counts once, in whichever direction, and no image more than twice, so that one cannot fill the list.

    >>> distinct_pairs([(0, 1), (1, 0), (0, 2), (0, 3), (4, 5)], most=10)
    [0, 2, 4]
    """
    used: Counter[int] = Counter()
    seen: set[frozenset[int]] = set()
    chosen: list[int] = []
    for index, pair in enumerate(pairs):
        images = frozenset(pair)
        if len(chosen) < most and images not in seen and all(used[image] < _MOST_OF_AN_IMAGE for image in images):
            chosen.append(index)
            seen.add(images)
            used.update(images)
    return chosen

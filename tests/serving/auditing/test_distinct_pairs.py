from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from supcon.serving.auditing.distinct_pairs import distinct_pairs

IMAGE = st.integers(0, 9)


@given(pairs=st.lists(st.tuples(IMAGE, IMAGE)), most=st.integers(0, 8))
def test_nothing_is_repeated_and_nothing_more_could_be_added(pairs: list[tuple[int, int]], most: int) -> None:
    places = distinct_pairs(pairs, most)
    assert places == sorted(places)
    listed = [frozenset(pairs[place]) for place in places]
    used = Counter(image for images in listed for image in images)
    assert len(set(listed)) == len(listed) <= most
    assert max(used.values(), default=0) <= 2
    if len(listed) < most:
        assert all(set(pair) in listed or any(used[image] == 2 for image in pair) for pair in pairs)


def test_two_views_of_one_image_use_it_once() -> None:
    assert distinct_pairs([(3, 3), (3, 3), (3, 4), (3, 5)], most=5) == [0, 2]

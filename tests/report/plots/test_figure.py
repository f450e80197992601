import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from supcon.report.plots.figure import COLOURS, colour, label, numbers, script_json, shorten, symbol


@given(st.recursive(st.text() | st.integers() | st.none(), st.lists))
def test_script_json_reads_back_and_cannot_end_its_element(value: object) -> None:
    text = str(script_json(value))
    assert json.loads(text) == value
    assert not set(text) & set("<>&\u2028\u2029")


def test_labels_have_no_markup_and_fit() -> None:
    assert label('<b>"x"&</b>') == '&lt;b&gt;"x"&amp;&lt;/b&gt;'
    assert label("<" * 30, 10) == "&lt;" * 9 + "…"


@given(st.text(), st.integers(1, 20))
def test_shortened_text_fits(text: str, longest: int) -> None:
    assert len(shorten(text, longest)) == min(len(text), longest)


def test_a_hundred_classes_look_different() -> None:
    assert len({(colour(c), symbol(c)) for c in range(100)}) == 100
    assert len({colour(c) for c in range(100)}) == COLOURS


def test_numbers_are_short_and_never_nan() -> None:
    assert numbers(np.array([1 / 3, np.nan, np.inf, 12345.678, 0])) == [0.33333, None, None, 12346.0, 0.0]

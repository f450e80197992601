import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from supcon.data.batches.expected_positives import count_positives, positives_sentence


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(-1, 3), min_size=2, max_size=8), min_size=1, max_size=5), st.integers(1, 3))
def test_counts_are_those_of_a_loop_over_all_rows(batches: list[list[int]], views: int) -> None:
    labels = torch.tensor([label for batch in batches for label in batch])
    starts = [sum(map(len, batches[:n])) for n in range(len(batches))]
    index = [torch.arange(start, start + len(batch)) for start, batch in zip(starts, batches, strict=True)]
    positives, lonely = [], []
    for batch in batches:
        for i, label in enumerate(batch):
            others = [j for j, other in enumerate(batch) if j != i and other == label and label >= 0]
            positives.append(len(others) * views + views - 1)
            lonely.append(not others)
    found = count_positives(index, labels, views)
    assert found == pytest.approx((sum(positives) / len(positives), sum(lonely) / len(lonely)))


def test_what_is_said() -> None:
    few = positives_sentence([torch.arange(4)], torch.tensor([0, 1, 2, 2]), 2)
    assert few == (
        "An anchor has 2.0 positives on average; 50.0% of the anchors have no positives except their own views; "
        "larger batches or "
        "--stage1.sampler m-per-class add positives from other images."
    )
    many = positives_sentence([torch.arange(4)], torch.tensor([2, 2, 2, 2]), 2)
    assert many == (
        "An anchor has 7.0 positives on average; 0.0% of the anchors have no positives except their own views."
    )

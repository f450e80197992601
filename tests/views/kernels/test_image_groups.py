"""Functions applied to groups of images."""

import torch
from torch import Tensor

from supcon.views.kernels.image_groups import change_groups, change_rows


def test_every_group_gets_its_function_and_the_rest_stays() -> None:
    images = torch.arange(6.0).view(6, 1, 1, 1)
    keys = torch.tensor([2, 0, 5, 1, 0, 2])
    seen: dict[str, list[int]] = {}

    def add(name: str, amount: float) -> object:
        def change(block: Tensor, rows: Tensor) -> Tensor:
            seen[name] = rows.tolist()
            assert block.flatten().tolist() == rows.tolist()
            return block + amount

        return change

    changed = change_groups(images, keys, [(1, add("first", 10)), (3, add("second", 100))])  # type: ignore[list-item]
    assert changed.flatten().tolist() == [100, 11, 2, 103, 14, 105]
    assert seen == {"first": [1, 4], "second": [3, 0, 5]}
    assert images.flatten().tolist() == [0, 1, 2, 3, 4, 5]


def test_rows_are_chosen_by_a_mask() -> None:
    images = torch.arange(4.0).view(4, 1, 1, 1)
    active = torch.tensor([False, True, False, True])
    assert change_rows(images, active, lambda block, _: -block).flatten().tolist() == [0, -1, 2, -3]


def test_nothing_active_returns_the_input_itself() -> None:
    images = torch.zeros(3, 1, 2, 2)
    assert change_rows(images, torch.zeros(3, dtype=torch.bool), lambda block, _: block + 1) is images

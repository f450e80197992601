"""The operations in `authors` mode against those of the TF models, by the numbers in `references/published`."""

import pytest
import torch
from torch import Tensor

from references.published_tables import Row, means_of, photograph, pixels_of, read_table, table_means, table_pixels
from supcon.views.kernels.operations import NAMES, authors_operation
from supcon.views.steps.policy_step import Operations, PolicyStep

ROWS = read_table("augmentation_operations")
EXACT = {"shear-x", "shear-y", "translate-x", "translate-y", "rotate"}
EXACT |= {"posterize", "solarize", "solarize-add", "equalize", "invert", "cutout"}
"""The rest blend floats, which the TF models cut off to bytes in between."""


def operate(row: Row, engine: str) -> Tensor:
    of_v0 = row["operation"].endswith(" of v0")
    name = next(name for name in NAMES if name == row["operation"].removesuffix(" of v0"))
    operation = authors_operation(name, float(row["level"]), (250 if of_v0 else 100) / 224)
    strength = operation.centre + int(row["sign"]) * operation.spread
    place = torch.tensor([(150 + 0.5) / 224, (60 + 0.5) / 224])
    drawn = Operations(torch.tensor([[NAMES.index(name)]]), torch.tensor([[strength]]), place.view(1, 1, 2))
    step = PolicyStep([((operation, 1.0),)], "authors")
    images = photograph("china").unsqueeze(0).clone()
    return (step.apply_batched if engine == "batched" else step.apply_each)(images, drawn)[0]


@pytest.mark.parametrize("engine", ["batched", "per-image"])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['operation']}{row['level']}x{row['sign']}")
def test_authors_operations_are_those_of_the_tf_models(row: Row, engine: str) -> None:
    got = operate(row, engine)
    apart = (pixels_of(got) - table_pixels(row)).abs()
    change = float((got.float() - photograph("china").float()).abs().mean())
    if row["operation"].split(" ")[0] in EXACT:
        assert int(apart.max()) == 0
        assert (means_of(got) - table_means(row)).abs().max() < 1e-3
        assert change == pytest.approx(float(row["change"]), abs=1e-3)
    else:
        assert int(apart.max()) <= 2
        assert (means_of(got) - table_means(row)).abs().max() < 0.7
        assert change == pytest.approx(float(row["change"]), abs=0.7)


def test_every_operation_has_a_row() -> None:
    assert {row["operation"].removesuffix(" of v0") for row in ROWS} == set(NAMES) - {"identity"}

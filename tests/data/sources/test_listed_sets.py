"""Sets whose splits come from their authors' lists."""

from pathlib import Path

import numpy as np

from references.small_named_sets import caltech, voc
from supcon.data.config import DataConfig
from supcon.data.listed_data import open_collection
from supcon.data.load import load_data


def test_difficult_objects_of_voc_are_not_judged(tmp_path: Path) -> None:
    voc(tmp_path)
    data = load_data(DataConfig(spec="voc2007", root=str(tmp_path)))
    assert data.train.labels.tolist() == [[1, 0], [-1, 1]]
    assert data.test.labels.tolist() == [[1, 0], [1, -1]]


def test_caltech_trains_on_the_same_thirty_of_a_class(tmp_path: Path) -> None:
    caltech(tmp_path)
    first, again = (open_collection(DataConfig(spec="caltech101", root=str(tmp_path))) for _ in range(2))
    assert np.bincount(first.labels[first.given["train"]]).tolist() == [30, 30]
    names = [[found.image_name(row) for row in found.given["train"].tolist()] for found in (first, again)]
    assert names[0] == names[1]

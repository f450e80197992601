from collections.abc import Callable
from pathlib import Path

import pytest

from supcon.base.errors import WorkError
from supcon.data.config import DataConfig
from supcon.data.load import load_data

MakeFolder = Callable[..., Path]


def test_a_file_that_goes_bad_while_training_is_named(make_folder: MakeFolder) -> None:
    root = make_folder({"a": 8, "b": 8})
    data = load_data(DataConfig(spec=str(root), hold="decode"))
    for path in root.rglob("*.png"):
        path.write_text("no image")
    sentence = r"\.png could be read when training started but cannot be read now: not an image;"
    with pytest.raises(WorkError, match=sentence):
        data.train.images[:]

"""Any text, given to every parser: it gives a value or one sentence."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supcon.base.errors import RequestError
from supcon.base.metrics_table import metrics_text, parse_metrics
from supcon.data.sources.collection import Collection
from supcon.data.sources.manifest import manifest
from supcon.data.sources.shards import expand_braces
from supcon.data.sources.split_table import read_split_table, write_split_table
from supcon.data.spec import absolute, read_spec, short_name
from supcon.data.stratified_splits import Splits
from supcon.recipes import find_recipe, recipe_from_values, recipe_to_values

texts = st.text(st.characters(codec="utf-8"))
tables = st.lists(st.lists(st.sampled_from(["path", "label", "split", "a", "", "train", '"', "x\n", "\0", ","])))


@given(texts | st.sampled_from(["~", "~x", "hf:", "webdataset:{", "{0..9}{0..9}", ".", "/", "\0", "x" * 5000]))
def test_specs(text: str) -> None:
    for parse in (read_spec, absolute, expand_braces):
        try:
            parse(text)
        except RequestError as error:
            said = str(error)
            assert len(said) > 10
    if text and "\0" not in text and len(text) < 200:
        assert isinstance(short_name(text), str)


@settings(deadline=None)
@given(texts | tables.map(lambda rows: "\n".join(",".join(row) for row in rows)))
def test_manifests(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(text.encode())
    try:
        found = manifest(Path(path))
    except RequestError as error:
        assert str(path) in str(error)  # noqa: PT017
        return
    assert len(found) == len(found.images)


COLLECTION = Collection(
    name="some",
    class_names=("0", "1"),
    images=np.zeros((4, 1, 2, 2), np.uint8),
    labels=np.array([0, 1, 0, 1]),
)
SPLITS = Splits(
    train=np.array([0]), validation=np.array([1]), test=np.array([2]), unlabelled=np.array([], dtype=np.int64)
)
WHOLE = write_split_table(COLLECTION, SPLITS, COLLECTION.labels)


@given(st.data())
def test_split_tables(data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(WHOLE)))
    text = WHOLE[:place] + data.draw(texts) + WHOLE[place + data.draw(st.integers(0, 9)) :]
    try:
        found, _ = read_split_table(text, COLLECTION)
    except RequestError:
        return
    assert set(np.concatenate([found.train, found.validation, found.test, found.unlabelled]).tolist()) <= {0, 1, 2, 3}


@given(st.dictionaries(st.integers(1, 99), st.dictionaries(st.sampled_from("abc"), st.floats(allow_nan=False))))
def test_metrics_come_back(table: dict[int, dict[str, float]]) -> None:
    assert parse_metrics(metrics_text(table)) == table


@given(texts)
def test_any_text_as_metrics(text: str) -> None:
    try:
        parse_metrics(text)
    except Exception as error:
        assert type(error).__name__ in ("ValueError", "Error"), error  # noqa: PT017


RECIPE = recipe_to_values(find_recipe("digits"))
plain = st.none() | st.booleans() | st.integers() | st.floats() | texts | st.lists(st.integers(), max_size=2)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(sorted(RECIPE)), plain | st.dictionaries(st.sampled_from(["epochs", "lr", "x"]), plain))
def test_recipes(name: str, value: object) -> None:
    try:
        recipe_from_values({**RECIPE, name: value})
    except RequestError as error:
        assert str(error)  # noqa: PT017

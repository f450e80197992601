"""Wrong arguments of the public functions of `supcon`: each one sentence, before any work."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supcon
from references.untrained_run import untrained_digits
from supcon.base.errors import RequestError


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return untrained_digits(tmp_path_factory.mktemp("wrong") / "run")


NO_RUN: tuple[Any, ...] = (None, 3, [], b"run", "", "x" * 300, "~nobody-of-that-name/y")
RUNS: dict[Callable[..., Any], dict[str, Any]] = {
    supcon.evaluate: {},
    supcon.audit: {},
    supcon.export: {},
    supcon.embed: {"out": "a.npz"},
    supcon.search: {"queries": ["a.png"]},
    supcon.transfer: {"data": ["digits"]},
    supcon.push: {"name": "me/model"},
    supcon.load: {},
}


@pytest.mark.parametrize("work", RUNS)
@pytest.mark.parametrize("run", NO_RUN)
def test_what_is_no_run(work: Callable[..., Any], run: Any) -> None:
    with pytest.raises(RequestError, match=r"^(run|source) (must be a path, got|is empty|is no path|has the home)"):
        work(run, **RUNS[work])


WRONG: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    *((supcon.evaluate, {"bins": value}) for value in ("x", None, 2.5, True)),
    *((supcon.evaluate, {name: 3}) for name in ("on", "severities", "corruptions", "baseline", "frost", "device")),
    *((supcon.evaluate, {name: "x"}) for name in ("k", "knn_temperature", "seed", "severities", "frost", "device")),
    (supcon.evaluate, {"knn_temperature": None}),
    *((supcon.search, {"queries": value}) for value in (None, 3, [], "a.png", [None], ["x" * 300])),
    *((supcon.search, {"queries": ["class:1"], "k": value}) for value in ("a", 1.5)),
    *((supcon.search, {"queries": ["class:1"], name: 3}) for name in ("gallery", "out")),
    *((supcon.embed, {"out": value}) for value in (None, 3)),
    *((supcon.embed, {"out": "a.npz", name: value}) for name, value in (("batch_size", "x"), ("data", 3))),
    (supcon.embed, {"out": "a.npz", "batch_size": True}),
    *((supcon.audit, {name: "x"}) for name in ("confidence", "correction", "seed")),
    (supcon.audit, {"data": 3}),
    *((supcon.export, {"format": value}) for value in ("x", None)),
    *((supcon.export, {name: "x"}) for name in ("part", "preprocessing")),
    *((supcon.transfer, {"data": value}) for value in ("digits", [3], None)),
    *((supcon.transfer, {"data": ["digits"], "protocols": value}) for value in ("linear", ["x"])),
    (supcon.transfer, {"data": ["digits"], "config": {}}),
]


@pytest.mark.parametrize(("work", "words"), WRONG)
def test_what_is_no_value(run: Path, work: Callable[..., Any], words: dict[str, Any]) -> None:
    before = sorted(run.rglob("*"))
    name = list(words)[-1]
    with pytest.raises(RequestError, match=rf"^{name} (must be|is empty|is no path)"):
        work(run, **words)
    assert sorted(run.rglob("*")) == before


@pytest.mark.parametrize(
    "words", [{"recipe": 3}, {"options": [1]}, {"out": 3}, {"out": ""}, {"method": "x"}, {"out": "x" * 300}]
)
def test_what_is_no_value_of_a_training(words: dict[str, Any]) -> None:
    name = next(iter(words))
    with pytest.raises(RequestError, match=rf"^{name} (must be|is empty|is no path)"):
        supcon.train("digits", **words)


def test_numbers_of_numpy_and_paths_are_taken(run: Path, tmp_path: Path) -> None:
    out = supcon.embed(run, Path("digits"), out=tmp_path / "a.npz", batch_size=np.int64(900))  # type: ignore[arg-type]
    with np.load(out) as rows:
        assert len(rows["representations"]) == 1797
    found = supcon.search(str(run), ["class:1"], k=np.int64(3))  # type: ignore[arg-type]
    assert len(found.answers(0)) == 3


@pytest.mark.parametrize("images", ["", [""], "x" * 300, ["x" * 300]])
@pytest.mark.parametrize("use", ["predict", "embed", "predict_proba", "prepare"])
def test_paths_that_are_none(run: Path, use: str, images: Any) -> None:
    with pytest.raises(RequestError, match=r"^An image is (empty|no path)"):
        getattr(supcon.load(run), use)(images)

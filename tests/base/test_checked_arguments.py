"""Calls with arguments of a wrong type or value: one sentence for each, and nothing else is refused."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from supcon.base.checked_arguments import check_suffix, checked_arguments, checked_path
from supcon.base.errors import RequestError

LONG = "webdataset:" + "a.tar," * 100


class Settings:
    """A class of the package."""


@checked_arguments
def work(
    run: str | Path,
    sources: Sequence[str | Path] = (),
    *,
    spec: str | None = None,
    count: int = 1,
    share: float = 0.5,
    part: Literal["all", "some"] = "all",
    settings: Settings | None = None,
    options: Mapping[str, Any] | None = None,
    arrays: str | tuple[Any, Any] = "",
    started: Callable[[], object] = lambda: None,
    fast: bool = False,
    **more: Any,
) -> tuple[Any, ...]:
    """The work."""
    return run, sources, spec, count, share, part, settings, options, arrays, fast, more


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"run": None}, "run must be a path, got None."),
    ({"run": 3}, "run must be a path, got 3."),
    ({"run": b"run"}, "run must be a path, got b'run'."),
    ({"run": ""}, "run is empty; give a path."),
    ({"run": "x" * 300}, "run is no path: File name too long: x"),
    ({"run": Path("x" * 300)}, "run is no path: File name too long: x"),
    ({"run": "a\0b"}, r"run is no path: embedded null byte: 'a\x00b'; give a path."),
    ({"run": "~nobody-of-that-name/x"}, "run has the home of a user who does not exist here: ~nobody-of-that-name/x"),
    ({"sources": "a.png"}, "sources must be a list, each item a path, got 'a.png'."),
    ({"sources": ["a.png", None]}, "sources must be a list, each item a path, got ['a.png', None]."),
    ({"sources": ["a.png", ""]}, "sources is empty; give a path."),
    ({"spec": 3}, "spec must be text or None, got 3."),
    ({"count": "2"}, "count must be a whole number, got '2'."),
    ({"count": 1.5}, "count must be a whole number, got 1.5."),
    ({"count": True}, "count must be a whole number, got True."),
    ({"share": "x"}, "share must be a number, got 'x'."),
    ({"part": "x"}, "part must be 'all' or 'some', got 'x'."),
    ({"part": None}, "part must be 'all' or 'some', got None."),
    ({"part": np.zeros(3)}, "part must be 'all' or 'some', got array([0., 0., 0.])."),
    ({"settings": {}}, "settings must be a Settings or None, got {}."),
    ({"options": [1]}, "options must be named values or None, got [1]."),
    ({"fast": 1}, "fast must be true or false, got 1."),
]


@pytest.mark.parametrize(("change", "sentence"), WRONG)
def test_a_wrong_argument_is_one_sentence(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RequestError) as caught:
        work(**{"run": "run", **change})
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)


def test_right_arguments_reach_the_function() -> None:
    settings = Settings()
    two: Any = np.int64(2)
    given = work(Path("run"), [Path("a"), LONG], count=two, share=1, settings=settings, options={"a": 1}, epochs=2)
    assert given == (Path("run"), [Path("a"), LONG], None, 2, 1, "all", settings, {"a": 1}, "", False, {"epochs": 2})
    assert type(given[3]) is int
    assert work("run", arrays=(np.zeros(3), [1]))[8][1] == [1]
    assert work.__doc__ == "The work."


def test_an_argument_that_is_unknown_or_missing_is_an_error_of_python() -> None:
    with pytest.raises(TypeError, match="missing"):
        work()  # type: ignore[call-arg]


def test_a_path_below_a_file_that_does_not_exist_is_a_path(tmp_path: Path) -> None:
    assert checked_path(tmp_path / "none" / "below", "run") == tmp_path / "none" / "below"
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert checked_path(str(tmp_path / "loop"), "run") == tmp_path / "loop"
    assert checked_path("~", "run") == Path.home()


def test_another_ending_is_refused() -> None:
    with pytest.raises(RequestError) as caught:
        check_suffix("--out", "a/e.csv", ".npz", ".parquet")
    assert str(caught.value) == "--out must end in .npz or .parquet, got 'e.csv'."
    check_suffix("--out", None, ".npz")
    check_suffix("--out", "a.csv/e.npz", ".npz", ".parquet")

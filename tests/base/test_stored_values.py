"""Files of values: what is damaged, bombed or of another type is refused with a sentence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supcon.base.atomic_files import write_yaml
from supcon.base.errors import RequestError
from supcon.base.stored_values import check_value, from_values, parse_yaml, read_json, read_own_yaml, read_yaml

LAUGHS = "a0: &a0 [x, x]\n" + "".join(f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 9)}]\n" for n in range(30))
LOOP = "a: &a\n  b: *a\n"


@pytest.mark.timeout(20)
@pytest.mark.parametrize("bomb", [LAUGHS, LOOP, "[" * 100_000, "{a: " * 50_000])
def test_yaml_that_would_never_end_is_refused(tmp_path: Path, bomb: str) -> None:
    (tmp_path / "a.yaml").write_text(bomb)
    with pytest.raises(RequestError, match=r"a\.yaml is damaged \(.*(alias|nested too deeply)"):
        read_yaml(tmp_path / "a.yaml")


def test_json_that_is_nested_too_deeply(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[" * 100_000)
    with pytest.raises(RequestError, match="nested too deeply"):
        read_json(tmp_path / "a.json")


def test_own_yaml_that_was_cut_anywhere_is_noticed(tmp_path: Path) -> None:
    path, values = tmp_path / "a.yaml", {"a": 1, "b": {"c": [1, 2], "d": "..."}, "e": "text of\n\ntwo lines"}
    write_yaml(path, values)
    assert read_own_yaml(path) == read_yaml(path) == values
    content = path.read_bytes()
    for length in range(len(content) - 1):  # the last line break alone holds nothing
        path.write_bytes(content[:length])
        with pytest.raises(RequestError, match=r"a\.yaml is damaged"):
            read_own_yaml(path)
    path.write_text("a: 1\n")
    assert read_own_yaml(path) == {"a": 1}


@pytest.mark.parametrize("call", ["!!python/object/apply:os.mkdir [{0}]", "!!python/name:os.mkdir", "!!binary ["])
def test_yaml_runs_no_code(tmp_path: Path, call: str) -> None:
    (tmp_path / "a.yaml").write_text(f"a: {call.format(tmp_path / 'ran')}\n")
    with pytest.raises(RequestError, match="is damaged"):
        read_yaml(tmp_path / "a.yaml")
    assert not (tmp_path / "ran").exists()


@given(st.text())
def test_any_text_is_values_or_one_sentence(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    for read in (read_yaml, read_json):
        try:
            found = read(path)
        except RequestError as error:
            found = {"said": str(error)}
        assert isinstance(found, dict)
        assert "\n" not in found.get("said", "")


def test_an_empty_file_is_only_allowed_where_it_may_be(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").touch()
    assert read_yaml(tmp_path / "a.yaml", empty=True) == {}
    with pytest.raises(RequestError, match="no named values"):
        read_yaml(tmp_path / "a.yaml")


@pytest.mark.parametrize(
    ("value", "kind", "fits"),
    [
        (3, int, True),
        (True, int, False),
        (3, float, True),
        ("3", float, False),
        (3.0, int, False),
        ("cat", Sequence[str], False),
        (["cat"], Sequence[str], True),
        (["cat", 3], Sequence[str], False),
        ({"a": 1}, Mapping[str, int], True),
        ({"a": "1"}, Mapping[str, int], False),
        (None, int | None, True),
        ("x", Literal["x", "y"], True),
        ("z", Literal["x", "y"], False),
        (object, Any, True),
    ],
)
def test_types_are_taken_literally(value: Any, kind: Any, fits: bool) -> None:
    if fits:
        check_value(value, kind, "it")
        return
    with pytest.raises(ValueError, match=r"^it must be .*, got "):
        check_value(value, kind, "it")


@dataclass(frozen=True)
class Card:
    names: Sequence[str]
    size: int = 3


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({}, "names is missing"),
        ({"names": ["a"], "more": 1}, "more is unknown"),
        ({"names": "ab"}, "names must be a list, each item text, got 'ab'"),
        ({"names": ["a"], "size": "3"}, "size must be a whole number, got '3'"),
    ],
)
def test_a_dataclass_from_values(values: dict[str, Any], sentence: str) -> None:
    assert from_values(Card, {"names": ["a"]}) == Card(["a"])
    with pytest.raises(ValueError, match=sentence):
        from_values(Card, values)


def test_plain_yaml_comes_through() -> None:
    assert parse_yaml("a: {b: [1, 2.5, x, null]}") == {"a": {"b": [1, 2.5, "x", None]}}

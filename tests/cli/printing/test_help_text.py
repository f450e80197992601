"""Help is short unless everything is asked for, fits into 80 columns, and explains every option."""

import re
from typing import Literal

import pytest

from supcon.cli.main import COMMANDS, main
from supcon.cli.parser import CommandParser


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    assert ended.value.code == 0
    return capsys.readouterr().out


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_short_and_has_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, command, "--help")
    assert len(text.splitlines()) <= 45
    assert f"\n  supcon {command}" in text
    assert text == shown(capsys, command, "-h")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("option", ["--help", "--help-all"])
def test_help_fits_and_explains_every_option(command: str, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, command, option)
    assert max(map(len, text.splitlines())) <= 80
    assert "Short for" not in text
    assert not re.search(r"type: |Union\[|null", text)
    for entry in re.split(r"\n(?=  -)", text)[1:]:
        assert len(entry.split("\n\n")[0].split()) >= 3, entry


def test_help_all_has_every_value_of_the_recipe(capsys: pytest.CaptureFixture[str]) -> None:
    short, whole = shown(capsys, "train", "--help"), shown(capsys, "train", "--help-all")
    for option in ("--stage1.optimizer.lr X", "--loss.temperature X", "--encoder.name TEXT", "--micro-batch N"):
        assert option not in short
        assert f"\n  {option}" in whole
    hidden = re.search(r"--help-all` lists (\d+) more", short)
    assert hidden is not None
    listed = len(re.findall(r"\n  -", whole)) - len(re.findall(r"\n  -", short))
    assert int(hidden[1]) == listed


def test_the_overview_fits(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    assert len(text.splitlines()) <= 45


def test_choices_and_defaults_are_shown_once() -> None:
    parser = CommandParser("try", "About.", "[options]", examples=["now"], first=("--kind",))
    parser.add_argument("--kind", type=Literal["plain", "fancy"], default="plain", help="The kind.")
    parser.add_argument("--named", type=Literal["a", "b"] | None, help="Either a or b; default: a.")
    parser.add_argument("--count", type=int, default=3, help="How many.")
    parser.add_argument("--start", type=bool | str, default=False, help="From where.")
    whole = parser.format_whole_help()
    assert "--kind NAME           The kind (one of plain, fancy; default: plain)." in whole
    assert "--named NAME          Either a or b; default: a.\n" in whole
    assert "--start true|false|TEXT\n" in whole
    assert "--count N             How many (default: 3)." in whole
    assert "--count" not in parser.format_help()
    assert "`supcon try --help-all` lists 6 more options, in groups." in " ".join(parser.format_help().split())

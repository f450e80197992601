"""Runs a command that must be refused."""

import pytest

from supcon.cli.main import main


def refused_command(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The sentence with which `supcon` refuses these arguments, with exit code 2."""
    assert main(arguments) == 2
    sentence = capsys.readouterr().err.strip().splitlines()[-1]
    assert sentence.startswith("supcon: ")
    return sentence

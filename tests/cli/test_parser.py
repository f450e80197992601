"""A command's parser: one sentence for every error, with the nearest name."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from supcon.base.errors import RequestError
from supcon.cli import predict, reproduce, search, transfer
from supcon.cli.main import main
from supcon.cli.parser import CommandParser, did_you_mean


@pytest.fixture
def parser() -> CommandParser:
    made = CommandParser("try", "About.", "[--count N]")
    made.add_argument("--count", type=int, default=1)
    made.add_argument("--learning-rate", type=float, default=0.1)
    made.add_argument("--kind", type=Literal["plain", "fancy"], default="plain")
    made.add_argument("--area", type=tuple[float, float], default=(0.5, 1.0))
    made.add_argument("--flag", type=bool, default=False)
    return made


def test_values_have_their_types(parser: CommandParser) -> None:
    parsed = parser.parse(["--count", "3", "--kind", "fancy", "--area", "[0.2,0.9]", "--flag", "true"])
    assert (parsed.count, parsed.kind, parsed.area, parsed.flag) == (3, "fancy", (0.2, 0.9), True)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--cuont", "3"], "There is no option --cuont; did you mean --count?"),
        (["--zzz"], "There is no option --zzz; `supcon try --help-all` lists the options."),
        (["--cou", "3"], "There is no option --cou; did you mean --count?"),
        (["--count", "x"], "--count must be an integer, got 'x'."),
        (["--learning-rate", "fast"], "--learning-rate must be a number, got 'fast'."),
        (["--kind", "fanzy"], "--kind must be one of plain, fancy, got 'fanzy'; did you mean fancy?"),
        (["--kind", "bold"], "--kind must be one of plain, fancy, got 'bold'."),
        (["--learning_rate", "0.5"], "There is no option --learning_rate; did you mean --learning-rate?"),
        (["--area", "half"], "--area must be a list of numbers such as [0.5,1.0], got 'half'."),
        (["--flag", "maybe"], "--flag must be true or false, got 'maybe'."),
    ],
)
def test_errors_are_one_sentence(parser: CommandParser, arguments: list[str], sentence: str) -> None:
    with pytest.raises(RequestError) as caught:
        parser.parse(arguments)
    assert str(caught.value) == sentence


def test_the_last_part_of_a_dotted_name_is_enough() -> None:
    assert did_you_mean("--lr", ["--stage1.optimizer.lr", "--seed"]) == "did you mean --stage1.optimizer.lr?"
    assert did_you_mean("--nothing-like-it", ["--seed"]) is None


def test_an_argument_that_is_left_out_is_named_as_it_is_typed() -> None:
    made = CommandParser("try", "About.", "RUN [PATH...] --out FILE")
    made.add_argument("run", metavar="RUN")
    made.add_argument("paths", nargs="*", metavar="PATH")
    made.add_argument("--out", type=str, required=True)
    with pytest.raises(RequestError) as caught:
        made.parse([])
    usage = "the usage is `supcon try RUN [PATH...] --out FILE`."
    assert str(caught.value) == f"RUN and --out must be given; {usage}"
    with pytest.raises(RequestError) as caught:
        made.parse(["runs/one"])
    assert str(caught.value) == f"--out must be given; {usage}"


@dataclass
class Encoder:
    width: int = 3
    name: str = "plain"
    kind: Literal["resnet18", "resnet50"] = "resnet18"


@dataclass
class Stage:
    epochs: int = 3


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--encoder", "resnet50"], "got 'resnet50'; did you mean --encoder.kind resnet50?"),
        (["--stage", "5"], "got '5'; give one of them, such as --stage.epochs."),
    ],
)
def test_a_value_for_a_group_of_options(words: list[str], sentence: str) -> None:
    made = CommandParser("try", "About.", "[options]")
    made.add_argument("--encoder", type=Encoder, default=Encoder())
    made.add_argument("--stage", type=Stage, default=Stage())
    with pytest.raises(RequestError) as caught:
        made.parse(words)
    assert str(caught.value) == f"{words[0]} is a group of options, {sentence}"


def test_names_that_other_programs_use() -> None:
    made = CommandParser("try", "About.", "[options]")
    made.add_argument("--device", type=Literal["auto", "cpu", "gpu"], default="auto")
    with pytest.raises(RequestError) as caught:
        made.parse(["--device", "cuda:0"])
    assert str(caught.value) == (
        "--device must be one of auto, cpu, gpu, got 'cuda:0'; give gpu, and choose it with CUDA_VISIBLE_DEVICES=0 in "
        "front of the command."
    )
    assert made.parse(["--device", "cuda"]).device == made.parse(["--device=cuda"]).device == "gpu"


def test_a_wrong_name_in_a_file_of_values(tmp_path: Path) -> None:
    made = CommandParser("try", "About.", "[options]")
    made.add_config_option()
    made.add_argument("--stage", type=Stage, default=Stage())
    (tmp_path / "values.yaml").write_text("stage:\n  epocs: 3\n")
    with pytest.raises(RequestError) as caught:
        made.parse(["--config", str(tmp_path / "values.yaml")])
    assert str(caught.value) == f"{tmp_path}/values.yaml: there is no value stage.epocs; did you mean stage.epochs?"


@pytest.mark.parametrize(
    ("parser", "words", "lists"),
    [
        (predict._parser(), ["--top", "1", "--json", "run", "a", "b"], {"run": "run", "paths": ["a", "b"]}),
        (predict._parser(), ["run", "--json", "a", "--top=1", "b"], {"run": "run", "paths": ["a", "b"]}),
        (predict._parser(), ["run", "--top", "1", "-"], {"run": "run", "paths": ["-"]}),
        (predict._parser(), ["run", "a", "b", "--json", "--top", "1"], {"run": "run", "paths": ["a", "b"]}),
        (search._parser(), ["run", "--k", "3", "a", "--json", "b"], {"run": "run", "queries": ["a", "b"]}),
        (search._parser(), ["--gallery", "g", "run", "a", "b"], {"run": "run", "queries": ["a", "b"]}),
        (transfer._parser(), ["run", "a", "--steps", "3", "b"], {"run": "run", "data": ["a", "b"]}),
        (transfer._parser(), ["run", "--grid", "small", "a", "b"], {"run": "run", "data": ["a", "b"]}),
        (reproduce._parser(), ["a", "--seeds", "0,1", "b", "--status"], {"names": ["a", "b"]}),
        (reproduce._parser(), ["--status", "a", "b"], {"names": ["a", "b"]}),
    ],
)
def test_a_list_of_arguments_with_options_anywhere(
    parser: CommandParser, words: list[str], lists: dict[str, str | list[str]]
) -> None:
    parsed = parser.parse(words)
    assert {name: parsed[name] for name in lists} == lists


def test_an_option_without_its_value_takes_no_argument() -> None:
    with pytest.raises(RequestError, match="--top: expected one argument"):
        predict._parser().parse(["run", "a", "--top"])


@pytest.mark.parametrize("words", [["--out", "F", "a", "b"], ["a", "--out", "F", "b"], ["a", "b", "--out", "F"]])
def test_runs_to_compare_with_the_option_anywhere(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *words]) == 2
    assert "There is no folder a;" in capsys.readouterr().err

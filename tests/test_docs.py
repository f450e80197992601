"""The documentation: names, commands and options exist, its code runs, its navigation is complete."""

import re
import runpy
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from PIL import Image

from references.untrained_run import untrained_digits
from supcon.cli.main import COMMANDS, main

ROOT = Path(__file__).parent.parent
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]
SOURCE = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
OF_OTHERS = {"log", "exp", "N", "U", "Enc", "Proj", "Aug", "max", "min", "P", "A"}
"""Functions of mathematics and of the paper."""


def prose(page: Path) -> str:
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "coming_from.md"], ids=lambda page: page.name)
def test_functions_and_classes_exist(page: Path) -> None:
    called = set(re.findall(r"`(\w+)\(", prose(page))) - OF_OTHERS
    missing = {name for name in called if not re.search(rf"\b(def|class) {name}\b", SOURCE)}
    assert not missing


def exists(name: str) -> bool:
    """Whether `supcon.folder.file.name` is a folder, a file, or a name that the folder's or file's text has."""
    place = ROOT / "src"
    for part in name.split("."):
        if (place / part).is_dir():
            place = place / part
        elif (place / f"{part}.py").is_file():
            place = place / f"{part}.py"
        else:
            text = (place / "__init__.py" if place.is_dir() else place).read_text(encoding="utf-8")
            return re.search(rf"\b{part}\b", text) is not None
    return True


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_dotted_names_exist(page: Path) -> None:
    assert [name for name in re.findall(r"`(supcon(?:\.\w+)+)", prose(page)) if not exists(name)] == []


def test_a_name_that_does_not_exist_is_found() -> None:
    assert exists("supcon.losses.supcon.supcon_out_loss")
    assert not exists("supcon.losses.supcon_loss_of_nobody")


def pages_of(entries: list[Any]) -> list[str]:
    """The pages of a navigation, also of its sections."""
    values = [value for entry in entries for value in entry.values()]
    return [page for value in values for page in (pages_of(value) if isinstance(value, list) else [value])]


def test_every_page_is_in_the_navigation_once() -> None:
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]
    assert sorted(pages_of(nav)) == sorted(path.name for path in (ROOT / "docs").glob("*.md"))


@cache
def options_of(command: str) -> set[str]:
    shown = StringIO()
    with redirect_stdout(shown), pytest.raises(SystemExit):
        main([command, "--help-all"])
    return set(re.findall(r"--[\w.-]+", shown.getvalue()))


def commands(page: Path) -> list[list[str]]:
    """The words of every `supcon COMMAND ...` in the page's blocks and in its text."""
    fenced = re.findall(r"^```(.*?)\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    blocks = [block for language, block in fenced if language in ("", "bash")]
    lines = [line for block in blocks for line in block.splitlines()] + re.findall(r"`([^`\n]+)`", prose(page))
    found = [re.search(r"(?:^|-m |srun |\| )supcon (\w.*)", line.split("  #")[0]) for line in lines]
    return [match[1].split() for match in found if match is not None]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_their_options_exist(page: Path) -> None:
    for command, *words in commands(page):
        if command in COMMANDS:
            known = options_of(command)
            given = [word.split("=")[0] for word in words if word.startswith("--")]
            assert [option for option in given if option not in known] == [], (command, words)


def test_the_derived_costs_are_those_of_the_page() -> None:
    text = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec(code_blocks(ROOT / "docs" / "scaling.md")[0], names)
    for name, digits in {
        "rows": "{:,.0f}",
        "activations, GB": "{:.1f} GB",
        "encoder, ms": "{:.0f} ms",
        "loss, ms": "{:.1f} ms",
        "rows exchanged, MB": "{:.1f} MB",
        "gradients, MB": "{:.0f} MB",
        "communication, ms": "{:.1f} ms",
        "hours": "{:.1f} hours",
    }.items():
        shown = [digits.format(names[gpus][name] + 1e-9) for gpus in ("eight", "sixty_four")]
        assert re.search(rf"\| {shown[0]}\b.*\| {shown[1]}", text), (name, shown)


def code_blocks(page: Path) -> list[str]:
    """Without the examples that a page repeats, which `test_examples.py` runs."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"<!-- examples/\w+\.py -->\n```python\n.*?```", "", text, flags=re.DOTALL)
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


up_to_date = runpy.run_path(str(ROOT / "docs" / "written_parts.py"))["up_to_date"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_repeats_of_the_code_is_up_to_date(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text == up_to_date(text), "run: python docs/written_parts.py"


def test_a_changed_example_and_a_changed_recipe_are_noticed() -> None:
    for name, old, new in (("own_loop", "randint", "randperm"), ("recipe_sources", "6144", "6145")):
        text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        assert up_to_date(text.replace(old, new)) == text != text.replace(old, new)


def test_the_page_of_names_has_every_name_of_the_reference() -> None:
    listed = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    reference = re.findall(r"^::: (\S+)$", (ROOT / "docs" / "reference.md").read_text(), re.MULTILINE)
    functions = [name.rpartition(".")[2] for name in reference if not exists_as_file(name)]
    assert [name for name in functions if f".{name}`" not in listed] == ["resume"]


def exists_as_file(name: str) -> bool:
    return (ROOT / "src" / Path(*name.split("."))).with_suffix(".py").is_file()


NOT_RUN = {
    ("serving.md", 1): "six trainings; tests/jobs/test_image_classifier.py has smaller ones",
    ("recipes.md", 0): "needs a resnet50; tests/encoder/test_torchvision_names.py loads one",
    ("export.md", 0): "needs an ONNX file; tests/serving/export/test_onnx_file.py writes and runs one",
    ("README.md", 0): "an example, which test_examples.py runs",
}
"""Blocks that another test runs, by page and number."""


@pytest.fixture
def names_of_the_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the code of the pages takes as given: a finished run, images, networks, batches."""
    monkeypatch.chdir(tmp_path)
    untrained_digits(tmp_path / "runs" / "photos-supcon")
    (tmp_path / "new").mkdir()
    for number in (1, 2):
        Image.new("L", (8, 8), 99).save(tmp_path / "new" / f"{number}.jpg")
    network = torch.nn.Linear(128, 128)
    labels = torch.arange(512) % 4
    return {
        "torch": torch,
        "images": torch.randint(0, 256, (512, 1, 8, 8), dtype=torch.uint8),
        "labels": labels,
        "generator": torch.Generator(),
        "projections": torch.randn(512, 2, 128, requires_grad=True),
        "views": torch.randn(512, 2, 128),
        "batches": [(torch.randn(512, 2, 128), labels)],
        "DistributedDataParallel": torch.nn.Sequential,
        **dict.fromkeys(("model", "encoder", "projection", "slow_encoder", "slow_projection"), network),
    }


@pytest.mark.parametrize("page", [page for page in PAGES if code_blocks(page)], ids=lambda page: page.name)
def test_the_code_of_a_page_runs(page: Path, names_of_the_pages: dict[str, Any]) -> None:
    for number, block in enumerate(code_blocks(page)):
        if (page.name, number) not in NOT_RUN:
            exec(compile(block, f"{page.name}, block {number}", "exec", dont_inherit=True), names_of_the_pages)


def test_what_is_not_run_is_run_elsewhere() -> None:
    for page, number in NOT_RUN:
        (path,) = (path for path in PAGES if path.name == page)
        assert number < len(code_blocks(path))
    tests = re.findall(r"tests/[\w/]+\.py", " ".join(NOT_RUN.values()))
    assert all((ROOT / path).exists() for path in tests)


def test_the_figures_of_the_mathematics_page() -> None:
    pictures = runpy.run_path(str(ROOT / "docs" / "pictures" / "mathematics.py"))
    plain, centred = pictures["similarities"](centre=False), pictures["similarities"](centre=True)
    text = (ROOT / "docs" / "mathematics.md").read_text(encoding="utf-8")
    assert f"the mean similarity of two images is {plain.mean():.3f}" in text
    assert f"at τ = 0.1 it is {100 * pictures['effective_share'](plain, 0.1):.1f} % as initialised" in text
    assert f"looks at {100 * pictures['effective_share'](centred, 0.1):.0f} % of the rows" in text

"""The names of code in the documentation exist, and every page is in the site's navigation once."""

import re
from importlib import import_module
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]
SOURCE = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
OF_OTHERS = {"log", "exp", "N", "U", "Enc", "Proj", "Aug", "max", "min", "P", "A"}
"""Functions of mathematics and of the paper."""


def prose(page: Path) -> str:
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_functions_and_classes_exist(page: Path) -> None:
    called = set(re.findall(r"`(\w+)\(", prose(page))) - OF_OTHERS
    missing = {name for name in called if not re.search(rf"\b(def|class) {name}\b", SOURCE)}
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_dotted_names_can_be_imported(page: Path) -> None:
    for name in set(re.findall(r"`(supcon(?:\.\w+)+)", prose(page))):
        parts = name.split(".")
        module, attributes = import_module(parts[0]), parts[1:]
        for position, attribute in enumerate(attributes):
            try:
                module = getattr(module, attribute)
            except AttributeError:
                module = import_module(".".join(parts[: position + 2]))


def test_every_page_is_in_the_navigation_once() -> None:
    entries = [page for entry in yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"] for page in entry.values()]
    assert sorted(entries) == sorted(path.name for path in (ROOT / "docs").glob("*.md"))

"""The names of code in the documentation exist, and every page is in the site's navigation once."""

import re
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


def test_every_page_is_in_the_navigation_once() -> None:
    entries = [page for entry in yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"] for page in entry.values()]
    assert sorted(entries) == sorted(path.name for path in (ROOT / "docs").glob("*.md"))

"""docs/design.md, the picture of the folders and the import contracts say the same."""

import importlib
import importlib.util
import inspect
import re
import tomllib
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parent.parent
DESIGN = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
SOURCE = ROOT / "src" / "supcon"
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]


def load_picture() -> ModuleType:
    spec = importlib.util.spec_from_file_location("layers", ROOT / "docs" / "pictures" / "layers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def table() -> list[tuple[int, str, list[str]]]:
    """Layer, folder and inner folders of every row."""
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \| [^|]* \|([^|]*)\|$", DESIGN, re.MULTILINE)
    return [(int(layer), folder, re.findall(r"`(\w+)`", inner)) for layer, folder, inner in rows]


def test_the_table_has_the_layers_of_the_contract() -> None:
    layers = load_picture().layers()
    expected = [(number, folder) for number, row in enumerate(layers, 1) for folder in row]
    assert [(layer, folder) for layer, folder, _ in table()] == expected


def test_the_table_has_every_folder_and_its_inner_folders() -> None:
    def folders(path: Path) -> list[str]:
        return sorted(entry.parent.name for entry in path.glob("*/__init__.py"))

    assert sorted(folder for _, folder, _ in table()) == folders(SOURCE)
    for _, folder, inner in table():
        assert inner == folders(SOURCE / folder), folder


def test_the_other_contracts_are_listed() -> None:
    listed = re.findall(r"^- (.*)\.$", DESIGN.split("Besides the layers:")[1].split("From `supcon")[0], re.MULTILINE)
    assert listed == [contract["name"] for contract in CONTRACTS if contract["type"] == "forbidden"]


def test_only_public_names_of_a_folder_are_imported() -> None:
    protected = {
        module.split(".")[1] for c in CONTRACTS if c["type"] == "protected" for module in c["protected_modules"]
    }
    assert protected == {folder for _, folder, _ in table()} - {"base", "cli"}


def test_the_picture_is_that_of_the_layers() -> None:
    drawn = (ROOT / "docs" / "pictures" / "layers.svg").read_text(encoding="utf-8")
    assert drawn == load_picture().draw(), "run `python docs/pictures/layers.py`"


def test_the_files_to_the_first_loss_exist() -> None:
    files = re.findall(r"`([\w/]+\.py)`", DESIGN.split("a reader opens:")[1].split("\n\n")[0])
    assert 5 < len(files) <= 15
    assert all((SOURCE / file).exists() for file in files)


def test_no_file_name_occurs_twice() -> None:
    names = [path.name for path in SOURCE.rglob("*.py") if path.name not in ("__init__.py", "config.py")]
    assert sorted(names) == sorted(set(names))


def test_no_public_name_means_two_things() -> None:
    found: dict[str, object] = {}
    for _, folder, _ in table():
        module = importlib.import_module(f"supcon.{folder}")
        for name in (name for name in dir(module) if not name.startswith("_")):
            thing = getattr(module, name)
            if not inspect.ismodule(thing):
                assert found.setdefault(name, thing) is thing, f"{name} of {folder} is another thing elsewhere"


def test_no_folder_is_crowded() -> None:
    for folder in {path.parent for path in SOURCE.rglob("*.py")}:
        assert len(list(folder.glob("*.py"))) <= 21, f"{folder} has too many files: give it inner folders"

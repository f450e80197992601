"""Every package finds its public names, whatever was imported before, and has no others."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import supcon

SOURCE = Path(supcon.__file__).parent
PACKAGES = sorted(
    ".".join(path.parent.relative_to(SOURCE.parent).parts)
    for path in SOURCE.rglob("__init__.py")
    if "lazy_imports(__name__" in path.read_text(encoding="utf-8")
)


def test_the_package_names_what_it_has() -> None:
    assert "supcon" in PACKAGES
    assert set(dir(supcon)) >= {"evaluate", "load", "train", "transfer"}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_found(package: str) -> None:
    module = import_module(package)
    for name in dir(module):
        assert getattr(module, name) is not None


@pytest.mark.parametrize("package", ["supcon.views", "supcon.evaluation"])
def test_a_star_import_gives_every_public_name(package: str) -> None:
    names: dict[str, object] = {}
    exec(f"from {package} import *", names)
    assert set(dir(import_module(package))) <= set(names)


def test_the_loss_is_found_at_the_top_and_importing_supcon_does_not_import_torch() -> None:
    code = (
        "import sys, supcon; assert 'torch' not in sys.modules; "
        "from supcon import SupConLoss; from supcon.losses import SupConLoss as same; assert SupConLoss is same"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("package", PACKAGES)
def test_no_submodule_shadows_a_public_name(package: str) -> None:
    module = import_module(package)
    submodules = {path.stem for path in Path(str(module.__file__)).parent.iterdir()}
    assert not submodules & set(dir(module)), "a file or folder of that name hides the public name once it is imported"


@pytest.mark.parametrize("package", PACKAGES)
def test_an_unknown_name_is_an_attribute_error(package: str) -> None:
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        _ = import_module(package).nothing

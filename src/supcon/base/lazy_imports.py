"""Packages that import a public name only when it is first used, so that `supcon --help` does not import torch.

A package's `__init__.py` lists its public names once, as ordinary imports under `if TYPE_CHECKING:`, where type
checkers and readers find them. `lazy_imports` reads that list and imports a name's module on first use (PEP 562), like
the `lazy_loader` package, which reads a separate stub file. A public name must not be the name of a submodule, which
would shadow it once it is imported.
"""

import ast
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def lazy_imports(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` for the package whose `__init__.py` is `file`.

    `__getattr__` also gives `__all__`, which `from package import *` asks for.
    """
    modules = _type_checking_imports(Path(file))

    def get_attribute(name: str) -> Any:
        if name == "__all__":
            return sorted(modules)
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(modules[name]), name)

    return get_attribute, lambda: sorted(modules)


def _type_checking_imports(file: Path) -> dict[str, str]:
    """The module of every name that is imported under `if TYPE_CHECKING:`."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module or "" for node in imports for alias in node.names}

"""`supcon --help` and `supcon recipes` answer at once because none of this imports torch."""

import subprocess
import sys
from pathlib import Path

import pytest

import supcon

HEAVY = ("torch", "torchvision", "lightning", "timm", "sklearn", "plotly")
SOURCE = Path(supcon.__file__).parent
LIGHT = (
    "supcon.evaluation",
    "supcon.evaluation.statistics.bootstrap",
    "supcon.evaluation.corruptions.corruption_errors",
)
CONFIGS = sorted(f"supcon.{path.parent.name}.config" for path in SOURCE.glob("*/config.py"))


def heavy_imports(module: str) -> str:
    program = f"import sys, {module}; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_every_config_is_looked_at() -> None:
    folders = {"data", "encoder", "losses", "projection", "stages", "views"}
    assert {name.split(".")[1] for name in CONFIGS} >= folders


@pytest.mark.parametrize(
    "module",
    [
        "supcon",
        "supcon.base.errors",
        "supcon.base.progress",
        "supcon.data.catalogue",
        "supcon.recipes",
        *CONFIGS,
        *LIGHT,
    ],
)
def test_a_light_module_imports_nothing_heavy(module: str) -> None:
    assert heavy_imports(module) == "[]"


def test_tables_and_pages_do_not_wait_for_torch() -> None:
    assert heavy_imports("supcon.cli.printing.print_results") == "['plotly']"

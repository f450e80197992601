"""The table of CONTRIBUTING.md names files that exist, and an example that is in each of them."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "supcon"
ROWS = re.findall(
    r"^\| (an? [\w ]+) \| ([^|]*) \| `(\w+)` \|$", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE
)


def test_every_kind_has_a_row() -> None:
    kinds = {kind for kind, _, _ in ROWS}
    assert {"an encoder", "a loss", "an augmentation", "a data set", "a metric", "a recipe", "a command"} <= kinds


@pytest.mark.parametrize(("kind", "where", "example"), ROWS, ids=[kind for kind, _, _ in ROWS])
def test_paths_exist_and_have_the_example(kind: str, where: str, example: str) -> None:
    paths = re.findall(r"`([\w/.]+)`", where)
    assert len(paths) >= 2
    for path in paths:
        assert (SOURCE / path).exists(), path
        if path.endswith(".py"):
            text = (SOURCE / path).read_text(encoding="utf-8")
            assert example in text.replace("-", "_"), f"{path} does not mention {example}"

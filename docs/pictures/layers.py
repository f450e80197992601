"""Draws layers.svg: the folders of `src/supcon` as layers, and the path of an image through them.

Run `python docs/pictures/layers.py` after a change of the layers; `tests/test_design.py` compares the picture with the
import contracts in pyproject.toml.
"""

import tomllib
from html import escape
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
WIDTH, ROW, GAP, MARGIN = 960, 74, 14, 20

ABOUT = {
    "cli": "one file per command",
    "jobs": "train · evaluate · transfer · report · reproduce: the complete work of a command",
    "serving": "load, embed, predict",
    "recipes": "named settings",
    "report": "tables, plots, pages",
    "experiments": "the paper's tables and figures: grids, published values, verdicts",
    "stages": "stage 1, stage 2, Lightning",
    "evaluation": "metrics of tensors",
    "data": "folder → uint8 batch",
    "views": "batch → views",
    "encoder": "views → r",
    "projection": "r → z",
    "losses": "z, labels → loss",
    "runs": "a run's folder",
    "base": "errors · shapes · progress · processes · atomic files · lazy imports",
}
PATH = ("data", "views", "encoder", "projection", "losses", "stages", "evaluation", "report")
"""The folders on the path of an image, in order."""


def layers() -> list[list[str]]:
    """The layers of the contract "Data flows one way", the highest first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (rows,) = (contract["layers"] for contract in contracts if contract["name"] == "Data flows one way")
    names = [[name.strip().removeprefix("supcon.") for name in row.split("|")] for row in rows]
    return [row for row in names if row != ["__main__"]]


def draw() -> str:
    """The picture as SVG text."""
    rows, parts = layers(), []
    for line, row in enumerate(rows):
        width = (WIDTH - 2 * MARGIN - GAP * (len(row) - 1)) / len(row)
        for column, name in enumerate(row):
            parts.append(_box(name, MARGIN + column * (width + GAP), MARGIN + line * (ROW + GAP), width))
    height = 2 * MARGIN + len(rows) * (ROW + GAP) + 20
    note = f'<text x="{WIDTH / 2}" y="{height - 14}" class="note">A folder imports from the layers below it, and only '
    note += "their public names. Numbers: the path of an image.</text>"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">\n'
        "<style>rect{fill:#eef3fb;stroke:#3b6fb6;rx:8}.path rect{fill:#fdf3e1;stroke:#c77f1a}"
        "text{text-anchor:middle;fill:#1c2733}.name{font-size:17px;font-weight:600}.about{font-size:12px}"
        ".note{font-size:13px}.step{font-size:12px;fill:#c77f1a;font-weight:700}</style>\n"
        '<rect width="100%" height="100%" style="fill:#fff;stroke:none;rx:0"/>\n'
        + "\n".join(parts)
        + f"\n{note}\n</svg>\n"
    )


def _box(name: str, x: float, y: float, width: float) -> str:
    step = f'<text x="{x + 14:.0f}" y="{y + 19:.0f}" class="step">{PATH.index(name) + 1}</text>' if name in PATH else ""
    middle = x + width / 2
    return (
        f'<g class="{"path" if name in PATH else "folder"}"><rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" '
        f'height="{ROW}"/>{step}<text x="{middle:.0f}" y="{y + 32:.0f}" class="name">{name}</text>'
        f'<text x="{middle:.0f}" y="{y + 54:.0f}" class="about">{escape(ABOUT[name])}</text></g>'
    )


if __name__ == "__main__":
    (HERE / "layers.svg").write_text(draw(), encoding="utf-8")

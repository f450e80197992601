"""What every benchmark says: lines of figures, printed for people and written for programs."""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One figure, and where there is one the peer's, measured in the same run."""

    name: str
    value: float
    unit: str
    peer: str | None = None
    peer_value: float | None = None
    smaller_is_better: bool = True

    @property
    def ratio(self) -> float | None:
        """How many times better than the peer."""
        if self.peer_value is None:
            return None
        pair = (self.peer_value, self.value) if self.smaller_is_better else (self.value, self.peer_value)
        return pair[0] / pair[1] if pair[1] else None


def benchmark(description: str, measure: Callable[[bool], Sequence[Figure]]) -> None:
    """Read `--quick` and `--json F` from the command line, measure, print the table, write the file."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller and fewer, to see that it works")
    parser.add_argument("--json", type=Path, metavar="F", help="write the figures to this file")
    arguments = parser.parse_args()
    figures = measure(arguments.quick)
    print(table(figures))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps([as_json(figure) for figure in figures], indent=2) + "\n")


def table(figures: Sequence[Figure]) -> str:
    """The figures as text, one to a line."""
    cells = [("", "value", "unit", "peer", "its value", "times better")]
    cells += [
        (
            figure.name,
            f"{figure.value:,.4g}",
            figure.unit,
            figure.peer or "",
            "" if figure.peer_value is None else f"{figure.peer_value:,.4g}",
            "" if figure.ratio is None else f"{figure.ratio:,.2f}",
        )
        for figure in figures
    ]
    widths = [max(len(row[column]) for row in cells) for column in range(6)]
    to_the_left = (True, False, True, True, False, False)
    lines = []
    for row in cells:
        padded = zip(row, widths, to_the_left, strict=True)
        lines.append("  ".join(text.ljust(width) if left else text.rjust(width) for text, width, left in padded))
    return "\n".join(line.rstrip() for line in lines)


def as_json(figure: Figure) -> dict[str, str | float]:
    """The figure as programs read it: no peer, no keys for it."""
    fields = {**asdict(figure), "ratio": figure.ratio}
    del fields["smaller_is_better"]
    return {name: value for name, value in fields.items() if value is not None}

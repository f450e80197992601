"""What every benchmark says: lines of figures, printed for people and written for programs."""

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import torch


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One figure, and where there is one the peer's, measured in the same run."""

    name: str
    value: float
    unit: str
    peer: str | None = None
    peer_value: float | None = None
    smaller_is_better: bool = True
    spread: float | None = None
    """How far the median of the rounds lies from the best, which counts, as a share of it."""

    @property
    def ratio(self) -> float | None:
        """How many times better than the peer."""
        if self.peer_value is None:
            return None
        pair = (self.peer_value, self.value) if self.smaller_is_better else (self.value, self.peer_value)
        return pair[0] / pair[1] if pair[1] else None


def benchmark(description: str, measure: Callable[[bool], Sequence[Figure]]) -> None:
    """Read the command line, measure, print the table, write the files that were asked for."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller and fewer, to see that it works")
    parser.add_argument("--json", type=Path, metavar="F", help="write the figures to this file")
    parser.add_argument("--store", action="store_true", help="keep the table in benchmarks/results, dated")
    arguments = parser.parse_args()
    figures = measure(arguments.quick)
    print(table(figures))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps([as_json(figure) for figure in figures], indent=2) + "\n")
    if arguments.store:
        store(Path(sys.argv[0]).stem, description, figures)


def store(name: str, description: str, figures: Sequence[Figure]) -> None:
    """Write `results/DATE-NAME.md`: when, on what, with which command, and the table."""
    today = datetime.now(UTC).date().isoformat()
    folder = Path(__file__).parent / "results"
    folder.mkdir(exist_ok=True)
    command = f"python benchmarks/{name}.py {' '.join(sys.argv[1:])}"
    text = f"# {name}, {today}\n\n{description.strip().splitlines()[0]}\n\n{hardware()}\n\n"
    (folder / f"{today}-{name}.md").write_text(f"{text}`{command}`\n\n```\n{table(figures)}\n```\n")


def hardware() -> str:
    """What it was measured on, in a sentence."""
    processor = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        models = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
        processor = models[0].split(":", 1)[1].strip() if models else processor
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU"
    return (
        f"{processor}, {os.cpu_count()} cores, {gpu}; Python {platform.python_version()}, torch {torch.__version__}, "
        f"{torch.get_num_threads()} threads."
    )


def table(figures: Sequence[Figure]) -> str:
    """The figures as text, one to a line."""
    cells = [("", "value", "unit", "spread", "peer", "its value", "times better")]
    cells += [
        (
            figure.name,
            readable(figure.value),
            figure.unit,
            "" if figure.spread is None else f"+{100 * figure.spread:.0f} %",
            figure.peer or "",
            "" if figure.peer_value is None else readable(figure.peer_value),
            "" if figure.ratio is None else f"{figure.ratio:,.2f}",
        )
        for figure in figures
    ]
    widths = [max(len(row[column]) for row in cells) for column in range(7)]
    to_the_left = (True, False, True, False, True, False, False)
    lines = []
    for row in cells:
        padded = zip(row, widths, to_the_left, strict=True)
        lines.append("  ".join(text.ljust(width) if left else text.rjust(width) for text, width, left in padded))
    return "\n".join(line.rstrip() for line in lines)


def readable(value: float) -> str:
    """Four digits, and never an exponent for a large number."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def as_json(figure: Figure) -> dict[str, str | float]:
    """The figure as programs read it: no peer, no keys for it."""
    fields = {**asdict(figure), "ratio": figure.ratio}
    del fields["smaller_is_better"]
    return {name: value for name, value in fields.items() if value is not None}

"""The output of every benchmark: a table of measured values, printed, and written as JSON."""

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
    """A measured value and, if there is one, the peer's value from the same run."""

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
        """Our speed (or saving) relative to the peer's."""
        if self.peer_value is None:
            return None
        pair = (self.peer_value, self.value) if self.smaller_is_better else (self.value, self.peer_value)
        return pair[0] / pair[1] if pair[1] else None


def benchmark(description: str, measure: Callable[[bool], Sequence[Figure]]) -> None:
    """Parses the command line, measures, prints the table and writes the requested files."""
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
    """Writes `results/DATE-NAME.md`: date, hardware, command and table."""
    today = datetime.now(UTC).date().isoformat()
    folder = Path(__file__).parent / "results"
    folder.mkdir(exist_ok=True)
    command = f"python benchmarks/{name}.py {' '.join(sys.argv[1:])}"
    text = f"# {name}, {today}\n\n{description.strip().splitlines()[0]}\n\n{hardware()}\n\n"
    (folder / f"{today}-{name}.md").write_text(f"{text}`{command}`\n\n```\n{table(figures)}\n```\n")


def hardware() -> str:
    """The hardware and versions, in a sentence."""
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
    """The values as text, one per line."""
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
    """Four significant digits, without an exponent for large numbers."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def as_json(figure: Figure) -> dict[str, str | float]:
    """The value for the JSON file; without a peer, the peer's keys are left out."""
    fields = {**asdict(figure), "ratio": figure.ratio}
    del fields["smaller_is_better"]
    return {name: value for name, value in fields.items() if value is not None}

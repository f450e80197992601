"""What a run survives: kill -9 at random moments, and every file operation failing once.

The tiniest run (two stages, evaluation, report) and the commands that work on a finished one are killed at random
moments, with all their workers, until they have ended by themselves; and every file operation in the run's folder and
its data fails once, the errors ENOSPC, EIO, EACCES and a torn write in turn. Each time the command is repeated, and the
weights must be equal to the bit, the figures equal, and no file too many or too few. The first difference ends it.

    python benchmarks/faults.py [--quick | --full] [--kills | --operations] [--json F]

`--full` is 500 kills and every file operation of all commands; `--kills` and `--operations` do one of the two.
"""

import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from _table import Figure, benchmark

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from references.command_server import CommandServer
from references.survival import ERRORS, Survival

LATER = ("evaluate", "report", "transfer")
COMMANDS = (None, *LATER)
"""None is `supcon train`."""


def kills(survival: Survival, wanted: int) -> Counter[str]:
    """How many kills of each command were survived."""
    draw, counts = random.Random(time.time_ns()), Counter[str]()
    while counts.total() < wanted:
        for name in LATER:
            counts[name] += survival.kill_later(name, draw)
        counts["reproduce"] += survival.kill_study(draw)
        for _ in range(3):
            counts["train"] += survival.kill_training(draw)
        print(f"{counts.total()} kills survived", file=sys.stderr, flush=True)
    return counts


def faults(survival: Survival, later: str | None, every: int) -> Counter[str]:
    """How many operations failed and were survived, by the exit code; the four errors in turn."""
    count, codes = survival.operations(later=later), Counter[str]()
    for number, at in enumerate(range(1, count + 1, every)):
        failed, code = survival.fault(at, ERRORS[number % len(ERRORS)], later=later)
        codes["noticed" if code else "without consequence" if failed else "not reached"] += 1
        if number % 50 == 0:
            print(f"{later or 'train'}: operation {at} of {count}", file=sys.stderr, flush=True)
    return codes


def measure(quick: bool) -> list[Figure]:
    """Counts of what was done; it raises at the first thing that was lost."""
    wanted, every = (10, 50) if quick else (500, 1) if FULL else (60, 4)
    with tempfile.TemporaryDirectory() as work:
        server = CommandServer(Path(work), {"SUPCON_CACHE": f"{work}/cache"})
        survival = Survival(Path(work), server)
        try:
            killed = kills(survival, wanted) if "operations" not in PARTS else {}
            failed = {later: faults(survival, later, every) for later in COMMANDS} if "kills" not in PARTS else {}
        finally:
            server.close()
    figures = [Figure(name=f"kill -9 of {name}, survived", value=n, unit="kills") for name, n in killed.items()]
    for later, counts in failed.items():
        figures += [
            Figure(name=f"file operations of {later or 'train'} that failed, {what}", value=n, unit="operations")
            for what, n in counts.items()
        ]
    return [*figures, Figure(name="results lost or changed", value=0, unit="runs")]


FULL = "--full" in sys.argv
PARTS = {word[2:] for word in sys.argv if word in ("--kills", "--operations")}
if __name__ == "__main__":
    sys.argv = [word for word in sys.argv if word not in ("--full", "--kills", "--operations")]
    benchmark(__doc__ or "", measure)
